/* graph-fold.h: evaluates ops whose inputs are constant, within limits. */
#ifndef TP_GRAPH_GRAPH_FOLD_H
#define TP_GRAPH_GRAPH_FOLD_H

#include "graph/graph-draft.h"

/* What folding has cost so far; starts as { 0 } but for the first. */
typedef struct
{
  gboolean keeps_quantized;   /* what is to be dequantized stays as it is */
  gint64 n_elements;          /* read and written */
  gint64 size_bytes;          /* of the constants made from little */
  gint64 n_moved;             /* elements of those that have no more of them than
                               * what they are made of */
  gint64 n_data;              /* of the constants there were before */
} TpFold;

/* Makes the outputs of @node constants and marks @node removed, if its inputs
 * are constant and its outputs at most 1 MiB each, or of no more elements than the
 * data of its inputs, as parts of weights are; else leaves it alone.
 * Shapes must have been inferred. */
gboolean tp_fold_node (TpFold *fold, TpDraft *draft, TpNode *node,
                       GError **error);

#endif
