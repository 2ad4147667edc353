/* graph-body.h: what an op computes again and again, as a Loop does.
 *
 * Ops of a body are read once. How many rounds there are is known when shapes are
 * inferred, and then each round gets ops of its own (graph/unroll.h). */
#ifndef TP_GRAPH_GRAPH_BODY_H
#define TP_GRAPH_GRAPH_BODY_H

#include "graph/graph-builder.h"
#include "graph/graph-draft.h"

/* Ops that are added from now on are of a new body, whose number is returned; 0 on
 * error. @prefix: what the names of its tensors begin with, before ':'. */
int tp_graph_builder_enter_body (TpGraphBuilder *builder, const char *prefix,
                                 GError **error);
void tp_graph_builder_leave_body (TpGraphBuilder *builder);
/* By names that nothing else has, and by any. @place: in the file. */
gboolean tp_graph_builder_add_body_input (TpGraphBuilder *builder, int body,
                                          const char *name, const char *place,
                                          GError **error);
gboolean tp_graph_builder_add_body_output (TpGraphBuilder *builder, int body,
                                           const char *name, const char *place,
                                           GError **error);
/* Adds the op at @node that @body is of. */
gboolean tp_graph_builder_add_node_with_body (TpGraphBuilder *builder, int body,
                                              const TpNode *node,
                                              TpNodeNames names,
                                              GError **error);

/* Sorts all ops, and puts those of bodies there. An op that has a body comes after
 * all that this names. A second time nothing is done. */
gboolean tp_draft_part_bodies (TpDraft *draft, GError **error);

#endif
