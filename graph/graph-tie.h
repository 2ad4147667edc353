/* graph-tie.h: outputs of a model that are what its inputs are in the next run. */
#ifndef TP_GRAPH_GRAPH_TIE_H
#define TP_GRAPH_GRAPH_TIE_H

#include "graph/graph-builder.h"

/* Makes states of inputs, and of outputs their next values, which are outputs no more.
 * @ties: "OUTPUT=INPUT", ended by NULL; (nullable). A '*' in both stands for the
 * same text, whatever it is. TPLAN_ERROR_USAGE: what is none of them, or twice. */
gboolean tp_graph_builder_tie (TpGraphBuilder *builder,
                               const char *const *ties, GError **error);

#endif
