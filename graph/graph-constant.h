/* graph-constant.h: Constant ops, which become constants as they are read, and
 * constants by name. */
#ifndef TP_GRAPH_GRAPH_CONSTANT_H
#define TP_GRAPH_GRAPH_CONSTANT_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

/* A Constant op is a constant from the start, called @output. */
gboolean tp_builder_add_constant_node (TpGraphBuilder *builder,
                                       const TpNode *node, const char *output,
                                       GError **error);

/* Its place in order of adding; -1: no constant. */
int tp_graph_builder_find_constant (TpGraphBuilder *builder, const char *name);

#endif
