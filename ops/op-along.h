/* op-along.h: rows of a tensor along one of its dimensions, for references. */
#ifndef TP_OPS_OP_ALONG_H
#define TP_OPS_OP_ALONG_H

#include "ir/op.h"

/* Elements @i along the dimension: base + i * step; rows follow each other. */
typedef struct
{
  gint64 n, step;
  gint64 n_rows;
} TpRefRows;

TpRefRows tp_ref_rows_new (const TpRefTensor *x, int axis);
/* Where row @row of a tensor with @n elements along the dimension begins. */
gint64 tp_ref_rows_start (const TpRefRows *rows, gint64 row, gint64 n);

#endif
