/* unroll-loop.h: ops that compute a body again and again. */
#ifndef TP_GRAPH_UNROLL_LOOP_H
#define TP_GRAPH_UNROLL_LOOP_H

#include "graph/unroll.h"

/* Ops of all rounds of @node in its place. */
gboolean tp_unroll_loop (TpUnroll *self, const TpNode *node, GError **error);
gboolean tp_unroll_sequence_map (TpUnroll *self, const TpNode *node,
                                 GError **error);

#endif
