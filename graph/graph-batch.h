/* graph-batch.h: a batch in parts, each with ops of its own: micro-batches. */
#ifndef TP_GRAPH_GRAPH_BATCH_H
#define TP_GRAPH_GRAPH_BATCH_H

#include "ir/graph.h"

/* What may be split: the extent of dimension 0 of the first input that has one, or,
 * where the network mixes that, of dimension 1 (sequence first); where it mixes both, of
 * dimension 0 again; 0: there is no such input. */
gint64 tp_graph_find_batch (const TpGraph *graph);

/**
 * tp_graph_split_batch:
 * @sizes: of the micro-batches, which sum to the batch, in dimension 0 of the first
 *   input or in dimension 1; each at least 1
 * @n_sizes: 0: @graph itself; else from 2 to TP_MICRO_BATCHES_MOST
 *
 * A graph of the same inputs and outputs that computes the same. An op that what is
 * batched depends on becomes one for each micro-batch, named after it; weights, and ops
 * that do not depend on inputs, are shared. Inputs are cut, and outputs put together,
 * by ops of their own, Slice and Concat. All ops of one micro-batch come before those
 * of the next. Names and order follow from @graph and @sizes alone.
 *
 * That an element of one part of the batch depends on no other part is proved by the
 * nests of each op: see ops/parts.h.
 *
 * TPLAN_ERROR_USAGE: @sizes do not sum to the batch, or one is no size; an op mixes
 * the parts, or it cannot be told that it does not; it has a given cost, of the whole
 * batch.
 */
TpGraph *tp_graph_split_batch (TpGraph *graph, const gint64 *sizes, int n_sizes,
                               GError **error);

#endif
