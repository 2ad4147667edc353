/* function.h: ops that are other ops: ONNX gives them a body, and we nothing
 * else; or nothing else for what some attributes ask of them. */
#ifndef TP_GRAPH_FUNCTION_H
#define TP_GRAPH_FUNCTION_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

/* Whether @type is one of them, whatever its attributes: never while it has a record in
 * the op table. */
gboolean tp_function_is_known (const char *type);
/* Whether a body stands for @node, of which the type and the attributes count, and of
 * @names which inputs there are. */
gboolean tp_function_is_meant (const TpNode *node, TpNodeNames names);
/* Adds the body of @node, which is meant, instead of it; names of tensors as for
 * tp_graph_builder_add_node (). */
gboolean tp_function_expand (TpGraphBuilder *builder, const TpNode *node,
                             TpNodeNames names, GError **error);

#endif
