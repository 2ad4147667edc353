/* like.h: which nodes of a graph are lowered to the same nests. */
#ifndef TP_OPS_LIKE_H
#define TP_OPS_LIKE_H

#include "ir/costs.h"
#include "ir/graph.h"

/* For the nodes and then the groups (@groups: nullable) of @graph, each the first
 * that tp_lower_nodes () makes the same nests of, with operands of the same kinds:
 * itself, if there is none before it. So what is known of that one need not be
 * found again. g_free () it. */
int *tp_lower_find_like (const TpGraph *graph, const TpGroups *groups);

#endif
