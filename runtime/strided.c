/* strided.c: walks a tensor row by row; the last dimension is the inner loop. */
#include "config.h"

#include "runtime/strided.h"

#include "nest/nest-expr.h"

#include <string.h>

/* Rows of the last dimension of @tensor, counting as an odometer does. */
typedef struct
{
  const TpTensor *tensor;
  gint64 index[TP_MAX_RANK];
  gint64 offset;              /* of the row in storage, elements */
  gint64 n_rows, row;
  gint64 length, stride;      /* of the row */
} Rows;

static void
rows_init (Rows *rows, const TpTensor *tensor)
{
  int last = tensor->rank - 1;

  memset (rows, 0, sizeof *rows);
  rows->tensor = tensor;
  rows->length = last >= 0 ? tensor->dims[last] : 1;
  rows->stride = last >= 0 ? tensor->strides[last] : 1;
  rows->n_rows = rows->length > 0 ? tensor->count / rows->length : 0;
}

static void
rows_next (Rows *rows)
{
  const TpTensor *tensor = rows->tensor;

  rows->row++;
  for (int i = tensor->rank - 2; i >= 0; i--)
    {
      rows->offset += tensor->strides[i];
      if (++rows->index[i] < tensor->dims[i])
        return;
      rows->offset -= tensor->strides[i] * tensor->dims[i];
      rows->index[i] = 0;
    }
}

void
tp_strided_scatter (const TpTensor *tensor, const void *src, void *dst)
{
  gsize size = tp_dtype_get_size (tensor->dtype);
  const char *from = src;
  Rows rows;

  for (rows_init (&rows, tensor); rows.row < rows.n_rows; rows_next (&rows))
    for (gint64 i = 0; i < rows.length; i++, from += size)
      memcpy ((char *) dst + (rows.offset + i * rows.stride) * size, from,
              size);
}

/* As kernels store: integers wrap to the width, truth values are 0 and 1. */
static void
row_from_doubles (const TpDtypeRow *dtype, const Rows *rows, const double *src,
                  void *dst)
{
  if (dtype->class == TP_CLASS_REAL)
    dtype->store_reals (src, rows->length, rows->stride, dst);
  else
    for (gint64 i = 0; i < rows->length; i++)
      {
        gint64 value = dtype->class == TP_CLASS_BOOL
                           ? src[i] != 0
                           : tp_real_to_integer (src[i]);

        dtype->store_integers (&value, 1, 1,
                               (char *) dst
                                   + i * rows->stride * (gint64) dtype->size);
      }
}

void
tp_strided_to_doubles (const TpTensor *tensor, const void *src, double *dst)
{
  gsize size = tp_dtype_get_size (tensor->dtype);
  Rows rows;

  for (rows_init (&rows, tensor); rows.row < rows.n_rows; rows_next (&rows))
    tp_dtype_load_doubles (tensor->dtype,
                           (const char *) src + rows.offset * size,
                           rows.stride, rows.length,
                           dst + rows.row * rows.length);
}

void
tp_strided_from_doubles (const TpTensor *tensor, const double *src, void *dst)
{
  const TpDtypeRow *dtype = tp_dtype_get (tensor->dtype);
  Rows rows;

  for (rows_init (&rows, tensor); rows.row < rows.n_rows; rows_next (&rows))
    row_from_doubles (dtype, &rows, src + rows.row * rows.length,
                      (char *) dst + rows.offset * dtype->size);
}

void
tp_strided_to_values (const TpTensor *tensor, const void *src, void *dst)
{
  const TpDtypeRow *dtype = tp_dtype_get (tensor->dtype);
  gint64 *integers = dst;
  Rows rows;

  if (dtype->class == TP_CLASS_REAL)
    {
      tp_strided_to_doubles (tensor, src, dst);
      return;
    }
  for (rows_init (&rows, tensor); rows.row < rows.n_rows; rows_next (&rows))
    dtype->load_integers ((const char *) src + rows.offset * dtype->size,
                          rows.stride, rows.length,
                          integers + rows.row * rows.length);
}

void
tp_strided_from_values (const TpTensor *tensor, const void *src, void *dst)
{
  const TpDtypeRow *dtype = tp_dtype_get (tensor->dtype);
  const gint64 *integers = src;
  Rows rows;

  if (dtype->class == TP_CLASS_REAL)
    {
      tp_strided_from_doubles (tensor, src, dst);
      return;
    }
  for (rows_init (&rows, tensor); rows.row < rows.n_rows; rows_next (&rows))
    dtype->store_integers (integers + rows.row * rows.length, rows.length,
                           rows.stride,
                           (char *) dst + rows.offset * dtype->size);
}
