/* scatter.h: which elements ScatterND, ScatterElements and Scatter replace. */
#ifndef TP_OPS_SCATTER_H
#define TP_OPS_SCATTER_H

#include "ops/op-util.h"

/* The data are @n_blocks of @block_size elements, those that the first
 * dimensions name; an update is for one of them. */
typedef struct
{
  gboolean is_nd;
  int axis;                   /* unless @is_nd */
  int rank;
  int n_named;                /* dimensions of the data that name a block */
  gint64 dims[TP_MAX_RANK];
  gint64 index_dims[TP_MAX_RANK];
  gint64 n_updates;
  gint64 n_blocks, block_size;
} TpScatter;

#endif
