/* graph-cut.h: a graph read up to some of its tensors. */
#ifndef TP_GRAPH_GRAPH_CUT_H
#define TP_GRAPH_GRAPH_CUT_H

#include "graph/graph-builder-private.h"

/* Makes the tensors that @texts name the outputs, in their order. @texts: (nullable):
 * nothing is changed; ended by NULL; each is a name, or several with commas between.
 * Before outputs become states. TPLAN_ERROR_USAGE: no such tensor, an input, or one
 * named twice. */
gboolean tp_graph_builder_choose_outputs (TpGraphBuilder *builder,
                                          const char *const *texts,
                                          GError **error);
/* Where outputs were chosen, drops all that only others need: ops, inputs, states,
 * what is said of shapes, and what was given of groups that are no longer whole.
 * Names are checked first, as by tp_graph_builder_check (); what is wrong with ops that
 * were put off is told of those that are left. */
gboolean tp_graph_builder_cut (TpGraphBuilder *builder, GError **error);

#endif
