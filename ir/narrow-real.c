/* narrow-real.c: see narrow-real.h. By integers alone, so that neither the mode
 * of rounding nor how denormals are taken matters. */
#include "config.h"

#include "ir/narrow-real.h"

#include <math.h>
#include <string.h>

#define WIDE_DIGITS 52 /* of double */
#define WIDE_BIAS 1023
#define WIDE_TOP 2047  /* the exponent of infinity */

static int
get_bias (int digits)
{
  return (1 << (14 - digits)) - 1;
}

/* The exponent of infinity. */
static int
get_top (int digits)
{
  return (1 << (15 - digits)) - 1;
}

double
tp_narrow_real_widen (guint16 bits, int digits)
{
  int exponent = bits >> digits & get_top (digits);
  guint64 mantissa = bits & ((1 << digits) - 1);
  guint64 wide = mantissa << (WIDE_DIGITS - digits);
  double value;

  if (exponent == 0)
    value = ldexp ((double) mantissa, 1 - get_bias (digits) - digits);
  else
    {
      exponent = exponent == get_top (digits)
                     ? WIDE_TOP
                     : exponent - get_bias (digits) + WIDE_BIAS;
      wide |= (guint64) exponent << WIDE_DIGITS;
      memcpy (&value, &wide, sizeof value);
    }
  return bits >> 15 ? -value : value;
}

/* @bits of what is below infinity, without a sign. A carry out of the mantissa
 * goes to the next exponent, and out of the last one to infinity. */
static guint16
round_finite (guint64 bits, int digits)
{
  int exponent = (int) (bits >> WIDE_DIGITS) - WIDE_BIAS + get_bias (digits);
  guint64 mantissa = bits & ((G_GUINT64_CONSTANT (1) << WIDE_DIGITS) - 1);
  int dropped = WIDE_DIGITS - digits;
  guint64 half;

  if (exponent >= get_top (digits))
    return (guint16) (get_top (digits) << digits);
  if (exponent > 0)
    mantissa |= (guint64) exponent << WIDE_DIGITS;
  else
    {
      mantissa |= G_GUINT64_CONSTANT (1) << WIDE_DIGITS;
      dropped += 1 - exponent;
    }
  if (dropped > WIDE_DIGITS + 1) /* below half of the least */
    return 0;
  half = G_GUINT64_CONSTANT (1) << (dropped - 1);
  return (guint16) ((mantissa + half - 1 + (mantissa >> dropped & 1))
                    >> dropped);
}

guint16
tp_narrow_real_round (double value, int digits)
{
  guint16 sign, nan = (guint16) ((2 * get_top (digits) + 1) << (digits - 1));
  guint64 bits;

  memcpy (&bits, &value, sizeof bits);
  sign = (guint16) (bits >> 48 & 0x8000);
  bits = bits << 1 >> 1;
  return sign | (isnan (value) ? nan : round_finite (bits, digits));
}
