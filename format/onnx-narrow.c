/* onnx-narrow.c: see onnx-narrow.h. */
#include "config.h"

#include "format/onnx-narrow.h"

#include <string.h>

gint64
tp_onnx_narrow_count_bytes (const TpNarrow *narrow, gint64 count)
{
  int each = 8 / narrow->bits;

  return count / each + (count % each != 0);
}

void
tp_onnx_narrow_unpack (const TpNarrow *narrow, const guint8 *packed,
                       gint64 count, guint8 *out)
{
  int each = 8 / narrow->bits, mask = (1 << narrow->bits) - 1;
  gsize size = tp_dtype_get_size (narrow->dtype);
  guint8 values[256][2];

  for (int code = 0; code <= mask; code++)
    {
      double value = tp_narrow_get_value (narrow, code);

      tp_dtype_store_doubles (narrow->dtype, &value, 1, values[code]);
    }
  for (gint64 i = 0; i < count; i++)
    {
      int code = packed[i / each] >> (i % each * narrow->bits) & mask;

      memcpy (out + i * size, values[code], size);
    }
}
