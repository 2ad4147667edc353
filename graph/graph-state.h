/* graph-state.h: whether what a file says of states can be. */
#ifndef TP_GRAPH_GRAPH_STATE_H
#define TP_GRAPH_GRAPH_STATE_H

#include "graph/graph-builder.h"

/* Every state is read by an op, its next value is made by one, and neither leaves
 * the graph. */
gboolean tp_builder_check_states (TpGraphBuilder *builder, GError **error);
/* Once shapes are known: of a state and its next value they are equal. */
gboolean tp_builder_check_state_shapes (TpGraphBuilder *builder,
                                        GError **error);

#endif
