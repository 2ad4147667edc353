/* onnx-narrow.h: integers of less than a byte and reals of a byte or less, as weights are
 * that were quantized. */
#ifndef TP_FORMAT_ONNX_NARROW_H
#define TP_FORMAT_ONNX_NARROW_H

#include "ir/dtype.h"

/* None of our element types, but each value is one of @dtype. */
typedef struct
{
  gint64 onnx;                /* TensorProto.DataType */
  TpDtype dtype;              /* of a byte, or bfloat16, which has all of these reals */
  int bits;
} TpOnnxNarrow;

/* NULL: @number is none. */
const TpOnnxNarrow *tp_onnx_find_narrow (gint64 number);

/* In so many bytes a file has @count of them: the first in the lowest bits of the
 * first byte, and what is left of the last unused. */
gint64 tp_onnx_narrow_count_bytes (const TpOnnxNarrow *narrow, gint64 count);
/* @out: @count elements of its dtype. */
void tp_onnx_narrow_unpack (const TpOnnxNarrow *narrow, const guint8 *packed,
                            gint64 count, guint8 *out);

#endif
