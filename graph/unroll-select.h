/* unroll-select.h: ops whose outputs are as long as values say: which elements are not
 * zero, which are wanted, which are different. Values that are known before a run say
 * it then; ops of fixed shapes are in their place. */
#ifndef TP_GRAPH_UNROLL_SELECT_H
#define TP_GRAPH_UNROLL_SELECT_H

#include "graph/unroll.h"

gboolean tp_unroll_non_zero (TpUnroll *self, const TpNode *node, GError **error);
gboolean tp_unroll_compress (TpUnroll *self, const TpNode *node, GError **error);
gboolean tp_unroll_unique (TpUnroll *self, const TpNode *node, GError **error);

#endif
