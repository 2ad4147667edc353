/* graph-sort.h: ops behind what they need. */
#ifndef TP_GRAPH_GRAPH_SORT_H
#define TP_GRAPH_GRAPH_SORT_H

#include "graph/graph-draft.h"

/* Topological order, kept as it is where it is right already.
 * TPLAN_ERROR_INPUT names the ops of a cycle. */
gboolean tp_draft_sort (TpDraft *draft, GError **error);

#endif
