/* graph-branch.h: an If: ops that are computed when a condition is true, or false.
 *
 * Ops have no effects, so an If whose condition is not known is both of its branches,
 * and a Where for each of its outputs. One whose condition is known when shapes are
 * inferred is the branch that is taken; nothing is asked of the other, whose ops
 * need not even go together. */
#ifndef TP_GRAPH_GRAPH_BRANCH_H
#define TP_GRAPH_GRAPH_BRANCH_H

#include "graph/graph-builder.h"
#include "graph/graph-draft.h"

/* Ops that are added from now on are of the branch that is taken if the tensor
 * called @condition is @value. */
gboolean tp_graph_builder_enter_branch (TpGraphBuilder *builder,
                                        const char *condition, gboolean value,
                                        const char *place, GError **error);
void tp_graph_builder_leave_branch (TpGraphBuilder *builder);
/* One output of an If, by name: the condition and what either branch gives are its
 * inputs. @node: its name and place. */
gboolean tp_graph_builder_add_if (TpGraphBuilder *builder, const TpNode *node,
                                  TpNodeNames names, GError **error);

#endif
