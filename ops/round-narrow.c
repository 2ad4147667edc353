/* round-narrow.c: see round-narrow.h. Kernels have whole numbers to round to: what has the
 * least exponent, or less, is brought to below 2, and so is what has a greater one, by
 * halving the distance to it again and again. All factors are powers of two, so that
 * nothing else is rounded. */
#include "config.h"

#include "ops/round-narrow.h"

#include <math.h>

static int
multiply (TpNest *nest, int value, double factor)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, value, tp_nest_const (nest, factor));
}

/* Where @value is beyond the greatest number, by its sign. */
static int
hold (TpNest *nest, int value, const TpNarrow *narrow, gboolean saturates)
{
  double overflow = tp_narrow_get_overflow (narrow, saturates);
  int high = tp_nest_const (nest, narrow->high), low = tp_nest_const (nest, narrow->low);
  int above = tp_nest_binary (nest, TP_EXPR_LESS, high, value);
  int below = tp_nest_binary (nest, TP_EXPR_LESS, value, low);

  value = tp_nest_select (nest, above, tp_nest_const (nest, overflow), value);
  return tp_nest_select (nest, below, tp_nest_const (nest, -overflow), value);
}

int
tp_nest_round_narrow (TpNest *nest, int value, const TpNarrow *narrow,
                      gboolean saturates)
{
  int least = tp_narrow_get_least_exponent (narrow), most = 1;
  int fraction = multiply (nest, value, ldexp (1.0, -least));
  int scale = tp_nest_const (nest, ldexp (1.0, least - narrow->mantissa));

  while (2 * most < tp_narrow_count_exponents (narrow))
    most *= 2;
  for (int step = most; step > 0; step /= 2)
    {
      int is_below = tp_nest_binary (nest, TP_EXPR_LESS,
                                     tp_nest_unary (nest, TP_EXPR_ABS, fraction),
                                     tp_nest_const (nest, ldexp (1.0, step)));

      fraction = tp_nest_select (nest, is_below, fraction,
                                 multiply (nest, fraction, ldexp (1.0, -step)));
      scale = tp_nest_select (nest, is_below, scale,
                              multiply (nest, scale, ldexp (1.0, step)));
    }
  fraction = multiply (nest, fraction, ldexp (1.0, narrow->mantissa));
  fraction = tp_nest_unary (nest, TP_EXPR_ROUND, fraction);
  fraction = hold (nest, tp_nest_binary (nest, TP_EXPR_MUL, fraction, scale), narrow,
                   saturates);
  if (narrow->special != TP_NARROW_NUMBERS)
    return fraction;
  return tp_nest_select (nest, tp_nest_unary (nest, TP_EXPR_IS_NAN, value),
                         tp_nest_const (nest, 0.0), fraction);
}
