/* graph-expand.h: ops added to a graph, or the bodies they stand for. */
#ifndef TP_GRAPH_GRAPH_EXPAND_H
#define TP_GRAPH_GRAPH_EXPAND_H

#include "graph/graph-builder.h"

/* @node: name, type, attrs, pins, costs, place are read and copied; inputs and
 * outputs are given by tensor name ("" or NULL: left out). TENSOR attributes
 * name a constant added before, by index in order of add_constant (). */
gboolean tp_graph_builder_add_node (TpGraphBuilder *builder, const TpNode *node,
                                    int n_inputs, const char *const *inputs,
                                    int n_outputs, const char *const *outputs,
                                    GError **error);

#endif
