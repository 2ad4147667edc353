/* batch-marks.h: what of a graph the batch goes through. */
#ifndef TP_GRAPH_BATCH_MARKS_H
#define TP_GRAPH_BATCH_MARKS_H

#include "ir/graph.h"
#include "ops/parts.h"

#define TP_BATCH_N_DIMS 2     /* of the first input, that may be the batch */

typedef struct
{
  const TpGraph *graph;
  int dim;                    /* of inputs that it is */
  TpParts parts;              /* of a batch: what has steps is batched: inputs of which
                               * that dimension is as long, and what is made of these */
  gint64 *cuts;               /* [tensor]: of which some op reads parts, though it is
                               * not batched: their step; else 0 */
  gint64 **reads;             /* [node]: as tp_parts_follow () says, where an input is
                               * batched; else NULL */
} TpBatchMarks;

/* The dimension of @tensor along which its parts follow each other, if it is one, all
 * of it; else -1. Such a tensor can be cut into its parts, and put together again. */
int tp_batch_find_dim (const TpTensor *tensor, gint64 batch, gint64 step);
/* The dimension that has the parts, besides what else it may have; -1: none has. */
int tp_batch_find_part (const TpTensor *tensor, gint64 batch, gint64 step);

/**
 * tp_batch_marks_new:
 * @batch: how large it is, at least 2; 0: as large as it is
 *
 * Of a batch that is dimension 0 of the first input, or dimension 1 if it cannot be
 * that one: recurrent networks have the sequence first.
 *
 * TPLAN_ERROR_USAGE: as tp_graph_split_batch () says, of dimension 0.
 */
TpBatchMarks *tp_batch_marks_new (const TpGraph *graph, gint64 batch,
                                  GError **error);
void tp_batch_marks_free (TpBatchMarks *self);
/* The extent of dimension @dim of the first input that has one; 0: none has. */
gint64 tp_batch_get_extent (const TpGraph *graph, int dim);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpBatchMarks, tp_batch_marks_free)

#endif
