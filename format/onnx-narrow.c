/* onnx-narrow.c: see onnx-narrow.h. */
#include "config.h"

#include "format/onnx-narrow.h"

#include <math.h>
#include <string.h>

/* What reals there are besides numbers. */
typedef enum
{
  NUMBERS,     /* nothing */
  ONE_NAN,     /* all bits but the sign set */
  MINUS_NAN,   /* the sign alone set */
  IEEE,        /* infinities and NaN have the greatest exponent */
  ALL_BITS,    /* of powers of two without a sign: all bits set are NaN */
} Special;

typedef struct
{
  TpOnnxNarrow narrow;
  int mantissa, bias;         /* bits; of reals alone */
  Special special;
} Row;

static const Row rows[] = {
  { { 17, TPLAN_DTYPE_BFLOAT16, 8 }, 3, 7, ONE_NAN },    /* float8e4m3fn */
  { { 18, TPLAN_DTYPE_BFLOAT16, 8 }, 3, 8, MINUS_NAN },  /* float8e4m3fnuz */
  { { 19, TPLAN_DTYPE_BFLOAT16, 8 }, 2, 15, IEEE },      /* float8e5m2 */
  { { 20, TPLAN_DTYPE_BFLOAT16, 8 }, 2, 16, MINUS_NAN }, /* float8e5m2fnuz */
  { { 21, TPLAN_DTYPE_UINT8, 4 }, 0, 0, NUMBERS },
  { { 22, TPLAN_DTYPE_INT8, 4 }, 0, 0, NUMBERS },
  { { 23, TPLAN_DTYPE_BFLOAT16, 4 }, 1, 1, NUMBERS },    /* float4e2m1 */
  { { 24, TPLAN_DTYPE_BFLOAT16, 8 }, 0, 127, ALL_BITS }, /* float8e8m0 */
  { { 25, TPLAN_DTYPE_UINT8, 2 }, 0, 0, NUMBERS },
  { { 26, TPLAN_DTYPE_INT8, 2 }, 0, 0, NUMBERS },
};

const TpOnnxNarrow *
tp_onnx_find_narrow (gint64 number)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].narrow.onnx == number)
      return &rows[i].narrow;
  return NULL;
}

gint64
tp_onnx_narrow_count_bytes (const TpOnnxNarrow *narrow, gint64 count)
{
  int each = 8 / narrow->bits;

  return count / each + (count % each != 0);
}

/* The sign bit stands for what it lacks to the next power of two. */
static double
get_integer (const TpOnnxNarrow *narrow, int code)
{
  int sign = narrow->dtype == TPLAN_DTYPE_INT8 ? 1 << (narrow->bits - 1) : 0;

  return (code ^ sign) - sign;
}

static double
get_real (const Row *row, int code)
{
  int sign = 1 << (row->narrow.bits - 1), greatest = (sign - 1) >> row->mantissa;
  int magnitude = code & (sign - 1), exponent = magnitude >> row->mantissa;
  int fraction = magnitude & ((1 << row->mantissa) - 1);
  double value;

  if (row->special == ALL_BITS)
    return code == 0xff ? NAN : ldexp (1.0, code - row->bias);
  if ((row->special == ONE_NAN && magnitude == sign - 1)
      || (row->special == MINUS_NAN && code == sign))
    return NAN;
  if (row->special == IEEE && exponent == greatest)
    return fraction != 0 ? NAN : code & sign ? -INFINITY : INFINITY;
  if (exponent > 0)
    fraction += 1 << row->mantissa;
  value = ldexp (fraction, MAX (exponent, 1) - row->bias - row->mantissa);
  return code & sign ? -value : value;
}

void
tp_onnx_narrow_unpack (const TpOnnxNarrow *narrow, const guint8 *packed,
                       gint64 count, guint8 *out)
{
  const Row *row = (const Row *) (const void *) narrow; /* its first member */
  gboolean is_integer = tp_dtype_is_integer (narrow->dtype);
  int each = 8 / narrow->bits, mask = (1 << narrow->bits) - 1;
  gsize size = tp_dtype_get_size (narrow->dtype);
  guint8 values[256][2];

  for (int code = 0; code <= mask; code++)
    {
      double value = is_integer ? get_integer (narrow, code) : get_real (row, code);

      tp_dtype_store_doubles (narrow->dtype, &value, 1, values[code]);
    }
  for (gint64 i = 0; i < count; i++)
    {
      int code = packed[i / each] >> (i % each * narrow->bits) & mask;

      memcpy (out + i * size, values[code], size);
    }
}
