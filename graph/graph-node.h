/* graph-node.h: ops as a file has them. */
#ifndef TP_GRAPH_GRAPH_NODE_H
#define TP_GRAPH_GRAPH_NODE_H

#include "graph/graph-builder.h"
#include "graph/graph-draft.h"

/* As tp_graph_builder_add_node () does, but for ops that have a body: they are
 * unknown here. */
gboolean tp_builder_add_plain_node (TpGraphBuilder *builder, const TpNode *node,
                                    TpNodeNames names, GError **error);
/* The same, whatever is known of its type. */
gboolean tp_builder_add_unknown_node (TpGraphBuilder *builder, const TpNode *node,
                                      TpNodeNames names, GError **error);
/* FALSE: its type is not known. */
gboolean tp_node_refuse_unknown (TpDraft *draft, const TpNode *node,
                                 GError **error);
/* Whether the type of each op is known, or its cost; of ops outside of branches.
 * Nodes are sorted. */
gboolean tp_draft_check_types (TpDraft *draft, GError **error);

#endif
