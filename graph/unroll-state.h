/* unroll-state.h: ops that go on from where the run before ended: a state goes in, and
 * what it is then comes out. Once shapes are known they are ops for each step. */
#ifndef TP_GRAPH_UNROLL_STATE_H
#define TP_GRAPH_UNROLL_STATE_H

#include "graph/unroll.h"

gboolean tp_unroll_linear_attention (TpUnroll *self, const TpNode *node,
                                     GError **error);
gboolean tp_unroll_causal_conv (TpUnroll *self, const TpNode *node,
                                GError **error);

#endif
