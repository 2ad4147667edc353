/* kernel-math.c: elementary functions as kernel IR.
 *
 * Cody-Waite reductions and the polynomials of Moshier's Cephes (exp, log,
 * tanh) and of Juffa (erf). pow carries the logarithm as a sum of two
 * floats. Everything is computed for all lanes; selects mend the special
 * values. */
#include "config.h"

#include "kernel/kernel-math.h"

#include "kernel/kernel-math-parts.h"

#include <float.h>
#include <math.h>

/* Few bits: a multiple by an exponent is exact. */
#define LN2_HIGH 0.693359375f
#define LN2_LOW -2.12194440e-4f
#define SQRT_HALF_BITS 0x3f3504f3
#define ONE_BITS 0x3f800000
/* 1.5 * 2^23: floats near it are whole numbers, and stand in their lowest bits. */
#define ROUNDER 12582912.0f

static TpValue
select_nan (TpKernel *kernel, TpValue x, TpValue result)
{
  return tp_k_select (kernel, tp_k_binary (kernel, TP_I_FEQUAL, x, x), result,
                      x);
}

/* --- exp ---------------------------------------------------------------- */

/* 2^n of the n in the lowest bits of @bits, in [-126, 127]. */
static TpValue
power_of_two (TpKernel *kernel, TpValue bits)
{
  bits = binary_i (kernel, TP_I_ISHL, bits, 23);
  return tp_k_unary (kernel, TP_I_AS_F32,
                     binary_i (kernel, TP_I_IADD, bits, ONE_BITS));
}

/* exp (x + low) for |low| << 1; the result is to be scaled by 2^n, and n stands in
 * the lowest bits of *out_bits, an even number of higher ones above it: a sum with
 * ROUNDER is rounded to a whole number there. */
static TpValue
exp_mantissa (TpKernel *kernel, TpValue x, TpValue low, TpValue *out_bits)
{
  static const float coefs[] = { 1.3814540579915047e-3f, 8.36874544620514e-3f,
                                 4.166838899254799e-2f, 1.666652113199234e-1f,
                                 4.999999403953552e-1f, 1, 1 };
  TpValue rounder = real (kernel, x, ROUNDER), n, r;

  n = tp_k_fma (kernel, x, real (kernel, x, 1.44269504088896341f), rounder);
  *out_bits = tp_k_unary (kernel, TP_I_AS_I32, n);
  n = tp_k_binary (kernel, TP_I_FSUB, n, rounder);
  r = tp_k_fma (kernel, n, real (kernel, x, -LN2_HIGH), x);
  r = tp_k_fma (kernel, n, real (kernel, x, -LN2_LOW), r);
  if (low >= 0)
    r = tp_k_binary (kernel, TP_I_FADD, r, low);
  return polynomial (kernel, r, coefs, 7);
}

/* For x where the result is neither denormal nor infinite: n goes into its
 * exponent. */
static TpValue
exp_normal (TpKernel *kernel, TpValue x)
{
  TpValue bits, mantissa = exp_mantissa (kernel, x, -1, &bits);

  bits = binary_i (kernel, TP_I_ISHL, bits, 23);
  mantissa = tp_k_unary (kernel, TP_I_AS_I32, mantissa);
  return tp_k_unary (kernel, TP_I_AS_F32,
                     tp_k_binary (kernel, TP_I_IADD, mantissa, bits));
}

/* For all x, NaN giving NaN. Scales in two steps, each by a normal number, so only
 * the last rounds. What rounds to 0 is 0 before that: a product that underflows
 * takes more than a hundred cycles, and masked softmaxes are full of them. */
static TpValue
exp_wide (TpKernel *kernel, TpValue x, TpValue low)
{
  TpValue bits, half, mantissa, is_zero;

  /* of two, one of which is no number, the second is the result: so it stays */
  x = tp_k_binary (kernel, TP_I_FMIN, real (kernel, x, 90.0f), x);
  x = tp_k_binary (kernel, TP_I_FMAX, real (kernel, x, -105.0f), x);
  is_zero = tp_k_binary (kernel, TP_I_FLESS, x, real (kernel, x, -104.0f));
  mantissa = exp_mantissa (kernel, x, low, &bits);
  mantissa = tp_k_select (kernel, is_zero, real (kernel, x, 0), mantissa);
  half = binary_i (kernel, TP_I_IDIV, bits, 2);
  bits = tp_k_binary (kernel, TP_I_ISUB, bits, half);
  mantissa =
      tp_k_binary (kernel, TP_I_FMUL, mantissa, power_of_two (kernel, half));
  return tp_k_binary (kernel, TP_I_FMUL, mantissa, power_of_two (kernel, bits));
}

TpValue
tp_k_exp (TpKernel *kernel, TpValue x)
{
  return exp_wide (kernel, x, -1);
}

/* 2^(n + f) by a polynomial of f, the minimax one that is 1 at 0. f takes what the
 * factor is rounded by, which is less than what a difference of floats is. 2^-127 is
 * 0 in the bits that power_of_two() makes, so nothing underflows there. */
TpValue
tp_k_exp_below (TpKernel *kernel, TpValue x)
{
  static const float coefs[] = { 1.326469937339425e-3f, 9.671533480286598e-3f,
                                 5.550733953714371e-2f, 2.4022242426872253e-1f,
                                 6.931470036506653e-1f, 1 };
  TpValue rounder = real (kernel, x, ROUNDER), n, f, factor;

  x = tp_k_binary (kernel, TP_I_FMAX, real (kernel, x, -88.0f), x);
  factor = real (kernel, x, 1.44269504088896341f);
  n = tp_k_fma (kernel, x, factor, rounder);
  f = tp_k_binary (kernel, TP_I_FSUB, rounder, n);
  f = polynomial (kernel, tp_k_fma (kernel, x, factor, f), coefs, 6);
  n = power_of_two (kernel, tp_k_unary (kernel, TP_I_AS_I32, n));
  return tp_k_binary (kernel, TP_I_FMUL, f, n);
}

/* The minimax polynomial of 2^f. */
static const float exp2_coefs[] = { 1.53289526e-4f, 1.33909809e-3f,
                                    9.61850025e-3f, 5.55035956e-2f,
                                    2.40226477e-1f, 6.93147182e-1f, 1 };

/* 2^(shift - n) of the n in the lowest bits of @bits. */
static TpValue
power_below (TpKernel *kernel, TpValue bits, int shift)
{
  bits = binary_i (kernel, TP_I_ISHL, bits, 23);
  bits = tp_k_binary (kernel, TP_I_ISUB,
                      integer (kernel, bits, ONE_BITS + (shift << 23)), bits);
  return tp_k_unary (kernel, TP_I_AS_F32, bits);
}

/* 1 / (1 + 2^(n + f)) as a / (a + 2^24 2^f), a = 2^(24 - n): nothing overflows, and
 * denormal results are rounded but once. For all x below -104.4 it is n = 151, and a
 * is 0 in its bits, so that nothing underflows there. */
TpValue
tp_k_sigmoid (TpKernel *kernel, TpValue x)
{
  TpValue rounder = real (kernel, x, ROUNDER), factor, n, f, a;
  float coefs[G_N_ELEMENTS (exp2_coefs)];

  for (guint i = 0; i < G_N_ELEMENTS (coefs); i++)
    coefs[i] = exp2_coefs[i] * (1 << 24);
  /* of two, one of which is no number, the second is the result: so it stays */
  x = tp_k_binary (kernel, TP_I_FMIN, real (kernel, x, 70.0f), x);
  x = tp_k_binary (kernel, TP_I_FMAX, real (kernel, x, -104.5f), x);
  factor = real (kernel, x, -1.44269504088896341f);
  n = tp_k_fma (kernel, x, factor, rounder);
  f = tp_k_binary (kernel, TP_I_FSUB, rounder, n);
  f = tp_k_fma (kernel, x, factor, f);
  f = tp_k_fma (kernel, x, real (kernel, x, -1.92596303e-8f), f);
  f = polynomial (kernel, f, coefs, G_N_ELEMENTS (coefs));
  a = power_below (kernel, tp_k_unary (kernel, TP_I_AS_I32, n), 24);
  return tp_k_binary (kernel, TP_I_FDIV, a,
                      tp_k_binary (kernel, TP_I_FADD, a, f));
}

/* --- tanh, erf ---------------------------------------------------------- */

/* 1 - 2 / (exp (2 |x|) + 1) = 1 - a / (a / 2 + 2^f), a = 2^(1 - n). */
static TpValue
tanh_large (TpKernel *kernel, TpValue x)
{
  TpValue rounder = real (kernel, x, ROUNDER), factor, n, f, a;

  x = tp_k_binary (kernel, TP_I_FMIN, real (kernel, x, 10), x);
  factor = real (kernel, x, 2.88539008f);
  n = tp_k_fma (kernel, x, factor, rounder);
  f = tp_k_binary (kernel, TP_I_FSUB, rounder, n);
  f = tp_k_fma (kernel, x, factor, f);
  f = polynomial_by_squares (kernel, f, tp_k_binary (kernel, TP_I_FMUL, f, f),
                             exp2_coefs, G_N_ELEMENTS (exp2_coefs));
  a = power_below (kernel, tp_k_unary (kernel, TP_I_AS_I32, n), 1);
  f = tp_k_fma (kernel, a, real (kernel, x, 0.5f), f);
  f = tp_k_binary (kernel, TP_I_FDIV, a, f);
  return tp_k_binary (kernel, TP_I_FSUB, real (kernel, x, 1), f);
}

/* An odd polynomial up to 0.625. */
TpValue
tp_k_tanh (TpKernel *kernel, TpValue x)
{
  static const float coefs[] = { -5.70498872745e-3f, 2.06390887954e-2f,
                                 -5.37397155531e-2f, 1.33314422036e-1f,
                                 -3.33332819422e-1f };
  TpValue t = tp_k_unary (kernel, TP_I_FABS, x), square, small, large;

  square = tp_k_binary (kernel, TP_I_FMUL, x, x);
  small = tp_k_binary (kernel, TP_I_FMUL, square,
                       polynomial (kernel, square, coefs, 5));
  small = tp_k_fma (kernel, small, x, x);
  large = give_sign (kernel, tanh_large (kernel, t), x);
  t = tp_k_binary (kernel, TP_I_FLESS, real (kernel, x, 0.625f), t);
  return tp_k_select (kernel, t, large, small);
}

/* 1 - exp (polynomial) from 475/512 on, else an odd polynomial. */
TpValue
tp_k_erf (TpKernel *kernel, TpValue x)
{
  static const float large_coefs[] = { -1.72853470e-5f, 3.83197126e-4f,
                                       -3.88396438e-3f, 2.42546219e-2f,
                                       -1.06777877e-1f, -6.34846687e-1f,
                                       -1.28717512e-1f };
  static const float small_coefs[] = { -5.96761703e-4f, 4.99119423e-3f,
                                       -2.67681349e-2f, 1.12819925e-1f,
                                       -3.76125336e-1f, 1.28379166e-1f };
  TpValue t = tp_k_unary (kernel, TP_I_FABS, x), is_large, large, small;

  is_large =
      tp_k_binary (kernel, TP_I_FLESS, real (kernel, x, 0.927734375f), t);
  t = binary (kernel, TP_I_FMIN, t, 4);
  large = polynomial_by_squares (kernel, t,
                                 tp_k_binary (kernel, TP_I_FMUL, t, t),
                                 large_coefs, 7);
  large = tp_k_fma (kernel, large, t, tp_k_unary (kernel, TP_I_FNEG, t));
  large = tp_k_binary (kernel, TP_I_FSUB, real (kernel, x, 1),
                       exp_normal (kernel, large));
  large = give_sign (kernel, large, x);
  small = polynomial (kernel, tp_k_binary (kernel, TP_I_FMUL, x, x),
                      small_coefs, 6);
  small = tp_k_fma (kernel, small, x, x);
  return tp_k_select (kernel, is_large, large, small);
}

/* --- log, pow ----------------------------------------------------------- */

/* x = 2^e (1 + f) with 1 + f in [sqrt (1/2), sqrt (2)), for normal x; f is
 * exact. */
static TpValue
split (TpKernel *kernel, TpValue x, TpValue *out_e)
{
  TpValue bits = tp_k_unary (kernel, TP_I_AS_I32, x), e;

  bits = binary_i (kernel, TP_I_IADD, bits, ONE_BITS - SQRT_HALF_BITS);
  e = binary_i (kernel, TP_I_IDIV, bits, 1 << 23);
  e = binary_i (kernel, TP_I_ISUB, e, 127);
  *out_e = tp_k_unary (kernel, TP_I_I32_TO_F32, e);
  bits = binary_i (kernel, TP_I_IAND, bits, (1 << 23) - 1);
  bits = binary_i (kernel, TP_I_IADD, bits, SQRT_HALF_BITS);
  return binary (kernel, TP_I_FSUB, tp_k_unary (kernel, TP_I_AS_F32, bits), 1);
}

/* The same for any x: denormals are scaled up, others than positive finite
 * numbers give something harmless. */
static TpValue
split_any (TpKernel *kernel, TpValue x, TpValue *out_e)
{
  TpValue is_tiny, scaled, f;

  is_tiny = tp_k_binary (kernel, TP_I_FLESS, x, real (kernel, x, FLT_MIN));
  scaled = binary (kernel, TP_I_FMUL, x, 8388608.0f);
  x = tp_k_select (kernel, is_tiny, scaled, x);
  x = binary (kernel, TP_I_FMIN, x, FLT_MAX);
  x = binary (kernel, TP_I_FMAX, x, FLT_MIN);
  f = split (kernel, x, out_e);
  *out_e = tp_k_select (kernel, is_tiny, binary (kernel, TP_I_FSUB, *out_e, 23),
                        *out_e);
  return f;
}

/* (log (1 + f) - f + f^2 / 2) / f^3 */
static TpValue
log_tail (TpKernel *kernel, TpValue f)
{
  static const float coefs[] = { 7.0376836292e-2f, -1.1514610310e-1f,
                                 1.1676998740e-1f, -1.2420140846e-1f,
                                 1.4249322787e-1f, -1.6668057665e-1f,
                                 2.0000714765e-1f, -2.4999993993e-1f,
                                 3.3333331174e-1f };

  return polynomial (kernel, f, coefs, 9);
}

TpValue
tp_k_log (TpKernel *kernel, TpValue x)
{
  TpValue e, f = split_any (kernel, x, &e), square, sum, zero, is_end;

  square = tp_k_binary (kernel, TP_I_FMUL, f, f);
  sum = tp_k_binary (kernel, TP_I_FMUL, square, f);
  sum = tp_k_binary (kernel, TP_I_FMUL, sum, log_tail (kernel, f));
  sum = tp_k_fma (kernel, e, real (kernel, x, LN2_LOW), sum);
  sum = tp_k_fma (kernel, square, real (kernel, x, -0.5f), sum);
  sum = tp_k_binary (kernel, TP_I_FADD, f, sum);
  sum = tp_k_fma (kernel, e, real (kernel, x, LN2_HIGH), sum);
  zero = real (kernel, x, 0);
  is_end = tp_k_binary (kernel, TP_I_FEQUAL, x, zero);
  sum = tp_k_select (kernel, is_end, real (kernel, x, -INFINITY), sum);
  is_end = tp_k_binary (kernel, TP_I_FEQUAL, x, real (kernel, x, INFINITY));
  sum = tp_k_select (kernel, is_end, x, sum);
  is_end = tp_k_binary (kernel, TP_I_FLESS, x, zero);
  sum = tp_k_select (kernel, is_end, real (kernel, x, NAN), sum);
  return select_nan (kernel, x, sum);
}

/* a + b for |a| >= |b| or a = 0, with the rounding error added to *low. */
static TpValue
add_exactly (TpKernel *kernel, TpValue a, TpValue b, TpValue *low)
{
  TpValue sum = tp_k_binary (kernel, TP_I_FADD, a, b), error;

  error = tp_k_binary (kernel, TP_I_FSUB, sum, a);
  error = tp_k_binary (kernel, TP_I_FSUB, b, error);
  *low = tp_k_binary (kernel, TP_I_FADD, *low, error);
  return sum;
}

/* s = f / (2 + f), the error of the division in *out_low. */
static TpValue
divide_exactly (TpKernel *kernel, TpValue f, TpValue *out_low)
{
  TpValue bottom = binary (kernel, TP_I_FADD, f, 2), s, rest, low;

  s = tp_k_binary (kernel, TP_I_FDIV, f, bottom);
  low =
      tp_k_binary (kernel, TP_I_FSUB, f, binary (kernel, TP_I_FSUB, bottom, 2));
  rest = tp_k_unary (kernel, TP_I_FNEG, s);
  low = tp_k_binary (kernel, TP_I_FMUL, rest, low);
  rest = tp_k_fma (kernel, rest, bottom, f);
  rest = tp_k_binary (kernel, TP_I_FADD, rest, low);
  *out_low = tp_k_binary (kernel, TP_I_FDIV, rest, bottom);
  return s;
}

/* log (x) = the returned value + *out_low, to about 2^-33, for x > 0: twice the
 * artanh of s. */
static TpValue
log_exactly (TpKernel *kernel, TpValue x, TpValue *out_low)
{
  static const float coefs[] = { 2.0f / 11, 2.0f / 9, 2.0f / 7, 2.0f / 5,
                                 2.0f / 3 };
  TpValue e, f = split_any (kernel, x, &e), s, low, square, tail;

  s = divide_exactly (kernel, f, &low);
  square = tp_k_binary (kernel, TP_I_FMUL, s, s);
  tail = tp_k_binary (kernel, TP_I_FMUL, s, square);
  tail = tp_k_binary (kernel, TP_I_FMUL, tail,
                      polynomial (kernel, square, coefs, 5));
  low = tp_k_fma (kernel, low, real (kernel, x, 2), tail);
  low = tp_k_fma (kernel, e, real (kernel, x, LN2_LOW), low);
  s = binary (kernel, TP_I_FMUL, s, 2);
  s = add_exactly (kernel, binary (kernel, TP_I_FMUL, e, LN2_HIGH), s, &low);
  e = real (kernel, x, 0);
  s = add_exactly (kernel, s, low, &e);
  *out_low = e;
  return s;
}

/* |x|^y for numbers, without the special cases of y. */
static TpValue
pow_magnitude (TpKernel *kernel, TpValue x, TpValue y)
{
  TpValue low, high = log_exactly (kernel, x, &low), product, error, is_sane;

  product = tp_k_binary (kernel, TP_I_FMUL, high, y);
  error = tp_k_fma (kernel, high, y, tp_k_unary (kernel, TP_I_FNEG, product));
  error = tp_k_fma (kernel, low, y, error);
  is_sane =
      tp_k_binary (kernel, TP_I_FLESS, tp_k_unary (kernel, TP_I_FABS, product),
                   real (kernel, x, 200));
  error = tp_k_select (kernel, is_sane, error, real (kernel, x, 0));
  return exp_wide (kernel, product, error);
}

/* Zero and infinity to the y: one of them again. */
static TpValue
pow_of_ends (TpKernel *kernel, TpValue x, TpValue y, TpValue result)
{
  TpValue zero = real (kernel, x, 0), infinity = real (kernel, x, INFINITY);
  TpValue falls = tp_k_binary (kernel, TP_I_FLESS, y, zero);
  TpValue is_zero = tp_k_binary (kernel, TP_I_FEQUAL, x, zero);
  TpValue is_infinite = tp_k_binary (kernel, TP_I_FEQUAL, x, infinity);

  result = tp_k_select (kernel, is_zero,
                        tp_k_select (kernel, falls, infinity, zero), result);
  return tp_k_select (kernel, is_infinite,
                      tp_k_select (kernel, falls, zero, infinity), result);
}

/* The sign of a negative base (or -0): kept by odd powers, NaN for powers that
 * are not integral. */
static TpValue
pow_sign (TpKernel *kernel, TpValue x, TpValue y, TpValue result)
{
  TpValue zero = real (kernel, x, 0), half, floor, is_whole, is_even, signs;
  TpValue odd = tp_k_unary (kernel, TP_I_FNEG, result);

  floor = tp_k_unary (kernel, TP_I_FFLOOR, y);
  is_whole = tp_k_binary (kernel, TP_I_FEQUAL, floor, y);
  half = binary (kernel, TP_I_FMUL, y, 0.5f);
  floor = tp_k_unary (kernel, TP_I_FFLOOR, half);
  is_even = tp_k_binary (kernel, TP_I_FEQUAL, floor, half);
  odd = tp_k_select (kernel, is_even, result, odd);
  /* Only the sign bit tells -0 from 0, and an infinite base has no NaN. */
  signs = binary_i (kernel, TP_I_ILESS, tp_k_unary (kernel, TP_I_AS_I32, x), 0);
  signs = tp_k_binary (kernel, TP_I_MAND, signs, is_whole);
  result = tp_k_select (kernel, signs, odd, result);
  signs = tp_k_binary (kernel, TP_I_FLESS, x, zero);
  signs = tp_k_binary (kernel, TP_I_MAND, signs,
                       tp_k_unary (kernel, TP_I_MNOT, is_whole));
  signs = tp_k_binary (
      kernel, TP_I_MAND, signs,
      tp_k_binary (kernel, TP_I_FLESS, real (kernel, x, -INFINITY), x));
  return tp_k_select (kernel, signs, real (kernel, x, NAN), result);
}

TpValue
tp_k_pow (TpKernel *kernel, TpValue x, TpValue y)
{
  TpValue base = tp_k_unary (kernel, TP_I_FABS, x), is_one, result;
  TpValue one = real (kernel, x, 1);

  result = pow_magnitude (kernel, base, y);
  result = pow_of_ends (kernel, base, y, result);
  is_one = tp_k_binary (kernel, TP_I_FEQUAL, base, one);
  result = tp_k_select (kernel, is_one, one, result);
  result = pow_sign (kernel, x, y, result);
  result = select_nan (kernel, x, result);
  result = select_nan (kernel, y, result);
  is_one = tp_k_binary (kernel, TP_I_FEQUAL, x, one);
  is_one =
      tp_k_binary (kernel, TP_I_MOR, is_one,
                   tp_k_binary (kernel, TP_I_FEQUAL, y, real (kernel, x, 0)));
  return tp_k_select (kernel, is_one, one, result);
}
