/* onnx-narrow.c: see onnx-narrow.h. */
#include "config.h"

#include "format/onnx-narrow.h"

const TpOnnxNarrow *
tp_onnx_find_narrow (gint64 number)
{
  static const TpOnnxNarrow all[] = {
    { 21, TPLAN_DTYPE_UINT8, 4 },
    { 22, TPLAN_DTYPE_INT8, 4 },
    { 25, TPLAN_DTYPE_UINT8, 2 },
    { 26, TPLAN_DTYPE_INT8, 2 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i].onnx == number)
      return &all[i];
  return NULL;
}

gint64
tp_onnx_narrow_count_bytes (const TpOnnxNarrow *narrow, gint64 count)
{
  int each = 8 / narrow->bits;

  return count / each + (count % each != 0);
}

/* The sign bit stands for what it lacks to the next power of two. */
void
tp_onnx_narrow_unpack (const TpOnnxNarrow *narrow, const guint8 *packed,
                       gint64 count, guint8 *out)
{
  int each = 8 / narrow->bits, mask = (1 << narrow->bits) - 1;
  int sign = narrow->dtype == TPLAN_DTYPE_INT8 ? 1 << (narrow->bits - 1) : 0;

  for (gint64 i = 0; i < count; i++)
    {
      int code = packed[i / each] >> (i % each * narrow->bits) & mask;

      out[i] = (guint8) ((code ^ sign) - sign);
    }
}
