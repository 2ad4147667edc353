/* narrow.c: see narrow.h. */
#include "config.h"

#include "ir/narrow.h"

#include <math.h>

static const TpNarrow rows[] = {
  { 17, TPLAN_DTYPE_BFLOAT16, 8, 3, 7, TP_NARROW_ONE_NAN, -448.0, 448.0 }, /* float8e4m3fn */
  { 18, TPLAN_DTYPE_BFLOAT16, 8, 3, 8, TP_NARROW_MINUS_NAN, -240.0, 240.0 }, /* float8e4m3fnuz */
  { 19, TPLAN_DTYPE_BFLOAT16, 8, 2, 15, TP_NARROW_IEEE, -57344.0, 57344.0 }, /* float8e5m2 */
  { 20, TPLAN_DTYPE_BFLOAT16, 8, 2, 16, TP_NARROW_MINUS_NAN, -57344.0, 57344.0 }, /* float8e5m2fnuz */
  { 21, TPLAN_DTYPE_UINT8, 4, 0, 0, TP_NARROW_NUMBERS, 0.0, 15.0 }, /* uint4 */
  { 22, TPLAN_DTYPE_INT8, 4, 0, 0, TP_NARROW_NUMBERS, -8.0, 7.0 }, /* int4 */
  { 23, TPLAN_DTYPE_BFLOAT16, 4, 1, 1, TP_NARROW_NUMBERS, -6.0, 6.0 }, /* float4e2m1 */
  { 24, TPLAN_DTYPE_BFLOAT16, 8, 0, 127, TP_NARROW_ALL_BITS, 0x1p-127, 0x1p127 }, /* float8e8m0 */
  { 25, TPLAN_DTYPE_UINT8, 2, 0, 0, TP_NARROW_NUMBERS, 0.0, 3.0 }, /* uint2 */
  { 26, TPLAN_DTYPE_INT8, 2, 0, 0, TP_NARROW_NUMBERS, -2.0, 1.0 }, /* int2 */
};

const TpNarrow *
tp_narrow_find_onnx (gint64 number)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].onnx == number)
      return &rows[i];
  return NULL;
}

/* ---- values of codes ------------------------------------------------------- */

/* The sign bit stands for what it lacks to the next power of two. */
static double
get_integer (const TpNarrow *narrow, int code)
{
  int sign = narrow->dtype == TPLAN_DTYPE_INT8 ? 1 << (narrow->bits - 1) : 0;

  return (code ^ sign) - sign;
}

static double
get_real (const TpNarrow *narrow, int code)
{
  int sign = 1 << (narrow->bits - 1), greatest = (sign - 1) >> narrow->mantissa;
  int magnitude = code & (sign - 1), exponent = magnitude >> narrow->mantissa;
  int fraction = magnitude & ((1 << narrow->mantissa) - 1);
  double value;

  if (narrow->special == TP_NARROW_ALL_BITS)
    return code == 0xff ? NAN : ldexp (1.0, code - narrow->bias);
  if ((narrow->special == TP_NARROW_ONE_NAN && magnitude == sign - 1)
      || (narrow->special == TP_NARROW_MINUS_NAN && code == sign))
    return NAN;
  if (narrow->special == TP_NARROW_IEEE && exponent == greatest)
    return fraction != 0 ? NAN : code & sign ? -INFINITY : INFINITY;
  if (exponent > 0)
    fraction += 1 << narrow->mantissa;
  value = ldexp (fraction, MAX (exponent, 1) - narrow->bias - narrow->mantissa);
  return code & sign ? -value : value;
}

double
tp_narrow_get_value (const TpNarrow *narrow, int code)
{
  return tp_dtype_is_integer (narrow->dtype) ? get_integer (narrow, code)
                                             : get_real (narrow, code);
}

/* ---- rounding -------------------------------------------------------------- */

gboolean
tp_narrow_is_target (const TpNarrow *narrow)
{
  return narrow->special != TP_NARROW_ALL_BITS;
}

int
tp_narrow_get_least_exponent (const TpNarrow *narrow)
{
  return 1 - narrow->bias;
}

int
tp_narrow_count_exponents (const TpNarrow *narrow)
{
  return ilogb (narrow->high) + 1 - tp_narrow_get_least_exponent (narrow);
}

double
tp_narrow_get_overflow (const TpNarrow *narrow, gboolean saturates)
{
  if (saturates || narrow->special == TP_NARROW_NUMBERS)
    return narrow->high;
  return narrow->special == TP_NARROW_IEEE ? INFINITY : NAN;
}

double
tp_narrow_round (const TpNarrow *narrow, double value, gboolean saturates)
{
  double magnitude = fabs (value), step;

  if (isnan (value))
    return narrow->special == TP_NARROW_NUMBERS ? 0.0 : value;
  if (magnitude < 2.0 * narrow->high)
    {
      step = MAX (magnitude, ldexp (1.0, tp_narrow_get_least_exponent (narrow)));
      step = ldexp (1.0, ilogb (step) - narrow->mantissa);
      magnitude = nearbyint (magnitude / step) * step;
    }
  if (magnitude > narrow->high)
    magnitude = tp_narrow_get_overflow (narrow, saturates);
  return copysign (magnitude, value);
}
