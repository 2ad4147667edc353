/* small-sums.h: products of small integers by a constant whose sums float32 holds: every
 * sum of some of the products, and of the bias, is at most 2^24. */
#ifndef TP_GRAPH_SMALL_SUMS_H
#define TP_GRAPH_SMALL_SUMS_H

#include "graph/graph-draft.h"

/* MatMulInteger, ConvInteger and their like. */
gboolean tp_node_multiplies_integers (const TpNode *node);
/* Whether @node is such, and its sums are known to be small. */
gboolean tp_draft_has_small_sums (TpDraft *draft, const TpNode *node);

#endif
