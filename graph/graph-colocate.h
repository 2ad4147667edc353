/* graph-colocate.h: which ops of a graph are on one device, whatever it is. */
#ifndef TP_GRAPH_GRAPH_COLOCATE_H
#define TP_GRAPH_GRAPH_COLOCATE_H

#include "ir/graph.h"
#include "ir/region.h"

/* Fills in the colocations of @graph, in @region, by what its nodes and states say. */
gboolean tp_graph_colocate (TpGraph *graph, TpRegion *region, GError **error);

#endif
