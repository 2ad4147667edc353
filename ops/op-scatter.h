/* op-scatter.h: ScatterND and ScatterElements: a tensor with some of its
 * elements replaced, or combined with others. */
#ifndef TP_OPS_OP_SCATTER_H
#define TP_OPS_OP_SCATTER_H

#include "ir/graph.h"
#include "ops/scatter.h"

/* @dims: of the data; @index_dims: of the indices. */
TpScatter tp_scatter_new (const TpNode *node, int rank, const gint64 *dims,
                          int index_rank, const gint64 *index_dims);

/* The block that @update is for; -1: out of range. */
gint64 tp_scatter_find (const TpScatter *scatter, const double *indices,
                        gint64 update);

/* Whether updates take the place of what was there. */
gboolean tp_scatter_replaces (const TpNode *node);

#endif
