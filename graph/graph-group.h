/* graph-group.h: groups of ops that a graph says what they cost as one kernel. */
#ifndef TP_GRAPH_GRAPH_GROUP_H
#define TP_GRAPH_GRAPH_GROUP_H

#include "ir/graph.h"
#include "ir/region.h"

/* Fills in the groups of @graph, in @region, by what its nodes say. One of which fewer
 * than two nodes are left is none.
 * TPLAN_ERROR_INPUT: of one another op than the last makes what is read outside, or
 * a path leaves it and comes back. */
gboolean tp_graph_group (TpGraph *graph, TpRegion *region, GError **error);

#endif
