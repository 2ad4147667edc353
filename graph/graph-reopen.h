/* graph-reopen.h: a finished graph as one that was just opened. */
#ifndef TP_GRAPH_GRAPH_REOPEN_H
#define TP_GRAPH_GRAPH_REOPEN_H

#include "graph/graph-builder.h"

/**
 * tp_graph_reopen:
 *
 * For the writers of files: a builder that holds @graph and has no symbolic
 * dimensions. Strides have no place in files, so a Permute is the Transpose it
 * came from; a Relayout copies.
 *
 * Returns: (transfer full): %NULL without memory.
 */
TpGraphBuilder *tp_graph_reopen (const TpGraph *graph, GError **error);

/**
 * tp_graph_builder_decide:
 * @builder: (transfer full)
 *
 * For the writers of files, which know no branches and no bodies: where there is an If,
 * a Loop or a sequence, the graph with its dimensions bound, in which an If is the
 * branch that is taken, or a Where, and the others what they stand for. All else
 * stays as it is.
 *
 * Returns: (transfer full): @builder, or another.
 */
TpGraphBuilder *tp_graph_builder_decide (TpGraphBuilder *builder,
                                         GError **error);

#endif
