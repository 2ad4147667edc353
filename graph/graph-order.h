/* graph-order.h: orders of ops in which less is alive at once. */
#ifndef TP_GRAPH_GRAPH_ORDER_H
#define TP_GRAPH_GRAPH_ORDER_H

#include "graph/graph-draft.h"

/* Of tensors that ops make and the caller feeds, all in one memory, inputs from the
 * start and outputs to the end; @order: [place]: nodes, or NULL: as they are. */
gint64 tp_graph_order_find_peak (const TpGraph *graph, const int *order);

/**
 * tp_graph_order_find:
 *
 * The best that was found: as it is; of the ops that may run the one that frees most
 * each time; for each output what it needs in turn, what wants most memory first. It
 * need not be the best there is.
 *
 * Returns: (transfer full): [place]: nodes; g_free ().
 */
int *tp_graph_order_find (const TpGraph *graph);

/* @graph in that order. */
TpGraph *tp_graph_order (const TpGraph *graph, GError **error);

/* Puts ops of @draft, a file as it stands, into the order found for @graph, which was
 * read of it. TPLAN_ERROR_INPUT: as of tp_draft_sort (). */
gboolean tp_draft_order (TpDraft *draft, const TpGraph *graph, GError **error);

#endif
