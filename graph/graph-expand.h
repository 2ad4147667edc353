/* graph-expand.h: ops added to a graph, or the bodies they stand for. */
#ifndef TP_GRAPH_GRAPH_EXPAND_H
#define TP_GRAPH_GRAPH_EXPAND_H

#include "graph/graph-builder.h"

/* @node: name, type, attrs, pins, costs, place are read and copied; inputs and
 * outputs are in @names. TENSOR attributes name a constant added before, by
 * index in order of add_constant (). */
gboolean tp_graph_builder_add_node (TpGraphBuilder *builder, const TpNode *node,
                                    TpNodeNames names, GError **error);

#endif
