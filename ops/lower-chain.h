/* lower-chain.h: a chain of nodes to nests. Private to lower.c. */
#ifndef TP_OPS_LOWER_CHAIN_H
#define TP_OPS_LOWER_CHAIN_H

#include "ir/graph.h"
#include "nest/nest.h"

/* Whether each of @nodes has an op, and all but the last make one thing, which the
 * next alone reads. TPLAN_ERROR_UNSUPPORTED. */
gboolean tp_lower_check_chain (const TpGraph *graph, const int *nodes,
                               int n_nodes, GError **error);
/* The nests of such a chain to @lowered, which has none. Operands are numbered as
 * they come, and some are of no use any more. */
gboolean tp_lower_chain (TpLowered *lowered, const TpGraph *graph,
                         const int *nodes, int n_nodes, GError **error);

#endif
