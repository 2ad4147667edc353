/* expr-math.c: functions of one variable in kernel IR, so that every device
 * gives the same answer. Polynomials: exp and log are Cephes' (Moshier), tanh
 * and erf the rational approximations of Eigen. All are good to a few units in
 * the last place. */
#include "config.h"

#include "codegen/schedule.h"

#include <math.h>

static TpValue
constant (TpKernel *kernel, TpValue like, double value)
{
  return tp_k_f32 (kernel, kernel->instrs[like].lanes, (float)value);
}

static TpValue
multiply (TpKernel *kernel, TpValue a, TpValue b)
{
  return tp_k_binary (kernel, TP_I_FMUL, a, b);
}

/* c[0] x^(n-1) + c[1] x^(n-2) + ... + c[n-1] */
static TpValue
polynomial (TpKernel *kernel, TpValue x, const double *c, int n)
{
  TpValue sum = constant (kernel, x, c[0]);

  for (int i = 1; i < n; i++)
    sum = tp_k_fma (kernel, sum, x, constant (kernel, x, c[i]));
  return sum;
}

/* Into [lo, hi]; NaN stays. */
static TpValue
clamp (TpKernel *kernel, TpValue x, double lo, double hi)
{
  x = tp_k_binary (kernel, TP_I_FMIN, constant (kernel, x, hi), x);
  return tp_k_binary (kernel, TP_I_FMAX, constant (kernel, x, lo), x);
}

/* 2^(n-1) for whole n in [-125, 128]. */
static TpValue
half_power_of_two (TpKernel *kernel, TpValue n)
{
  int lanes = kernel->instrs[n].lanes;
  TpValue i = tp_k_unary (kernel, TP_I_F32_TO_I32, n);

  i = tp_k_binary (kernel, TP_I_IADD, i, tp_k_i32 (kernel, lanes, 126));
  i = tp_k_binary (kernel, TP_I_ISHL, i, tp_k_i32 (kernel, lanes, 23));
  return tp_k_unary (kernel, TP_I_AS_F32, i);
}

TpValue
tp_k_exp (TpKernel *kernel, TpValue x)
{
  static const double c[] = { 1.9875691500e-4, 1.3981999507e-3,
                              8.3334519073e-3, 4.1665795894e-2,
                              1.6666665459e-1, 5.0000001201e-1 };
  /* Below, the result is next to the smallest normal number: 0. */
  const double lowest = -86.6, highest = 88.72283;
  TpValue bounded = clamp (kernel, x, lowest, highest);
  TpValue n, r, y, one = constant (kernel, x, 1.0);

  n = tp_k_unary (kernel, TP_I_FROUND,
                  multiply (kernel, bounded,
                            constant (kernel, x, 1.44269504088896341)));
  r = tp_k_fma (kernel, n, constant (kernel, x, -0.693359375), bounded);
  r = tp_k_fma (kernel, n, constant (kernel, x, 2.12194440e-4), r);
  y = polynomial (kernel, r, c, G_N_ELEMENTS (c));
  y = tp_k_fma (kernel, y, multiply (kernel, r, r),
                tp_k_binary (kernel, TP_I_FADD, r, one));
  y = multiply (kernel, y, half_power_of_two (kernel, n));
  y = tp_k_binary (kernel, TP_I_FADD, y, y);
  y = tp_k_select (kernel,
                   tp_k_binary (kernel, TP_I_FLESS, x,
                                constant (kernel, x, lowest)),
                   constant (kernel, x, 0.0), y);
  return tp_k_select (kernel,
                      tp_k_binary (kernel, TP_I_FLESS,
                                   constant (kernel, x, highest), x),
                      constant (kernel, x, INFINITY), y);
}

/* Mantissa in [0.5, 1) and exponent of a positive normal number. */
static TpValue
split_float (TpKernel *kernel, TpValue x, TpValue *out_exponent)
{
  int lanes = kernel->instrs[x].lanes;
  TpValue bits = tp_k_unary (kernel, TP_I_AS_I32, x);
  TpValue high = tp_k_binary (kernel, TP_I_IAND, bits,
                              tp_k_i32 (kernel, lanes, 0x7f800000));
  TpValue low = tp_k_binary (kernel, TP_I_IAND, bits,
                             tp_k_i32 (kernel, lanes, 0x007fffff));

  /* The exponent field times 2^23 is exact in a float. */
  *out_exponent = tp_k_fma (kernel,
                            tp_k_unary (kernel, TP_I_I32_TO_F32, high),
                            constant (kernel, x, 0x1p-23),
                            constant (kernel, x, -126.0));
  low = tp_k_binary (kernel, TP_I_IADD, low,
                     tp_k_i32 (kernel, lanes, 0x3f000000));
  return tp_k_unary (kernel, TP_I_AS_F32, low);
}

/* log (1 + x) for x in [sqrt (0.5) - 1, sqrt (2) - 1], plus e log (2). */
static TpValue
log_near_one (TpKernel *kernel, TpValue x, TpValue e)
{
  static const double c[] = { 7.0376836292e-2, -1.1514610310e-1,
                              1.1676998740e-1, -1.2420140846e-1,
                              1.4249322787e-1, -1.6668057665e-1,
                              2.0000714765e-1, -2.4999993993e-1,
                              3.3333331174e-1 };
  TpValue square = multiply (kernel, x, x);
  TpValue y = multiply (kernel, polynomial (kernel, x, c, G_N_ELEMENTS (c)),
                        multiply (kernel, x, square));

  y = tp_k_fma (kernel, e, constant (kernel, x, -2.12194440e-4), y);
  y = tp_k_fma (kernel, square, constant (kernel, x, -0.5), y);
  y = tp_k_binary (kernel, TP_I_FADD, x, y);
  return tp_k_fma (kernel, e, constant (kernel, x, 0.693359375), y);
}

TpValue
tp_k_log (TpKernel *kernel, TpValue x)
{
  TpValue zero = constant (kernel, x, 0.0), one = constant (kernel, x, 1.0);
  TpValue is_tiny = tp_k_binary (kernel, TP_I_FLESS, x,
                                 constant (kernel, x, 0x1p-126));
  TpValue scaled, e, m, is_low, y;

  scaled = tp_k_select (kernel, is_tiny,
                        multiply (kernel, x, constant (kernel, x, 0x1p+23)), x);
  m = split_float (kernel, scaled, &e);
  e = tp_k_binary (kernel, TP_I_FSUB, e,
                   tp_k_select (kernel, is_tiny, constant (kernel, x, 23.0),
                                zero));
  is_low = tp_k_binary (kernel, TP_I_FLESS, m,
                        constant (kernel, x, 0.707106781186547524));
  e = tp_k_binary (kernel, TP_I_FSUB, e,
                   tp_k_select (kernel, is_low, one, zero));
  m = tp_k_binary (kernel, TP_I_FADD, m,
                   tp_k_select (kernel, is_low, m, zero));
  y = log_near_one (kernel, tp_k_binary (kernel, TP_I_FSUB, m, one), e);
  y = tp_k_select (kernel,
                   tp_k_binary (kernel, TP_I_FLESS,
                                constant (kernel, x, 3.402823466e38), x),
                   x, y);
  y = tp_k_select (kernel, tp_k_binary (kernel, TP_I_FLESS, x, zero),
                   constant (kernel, x, NAN), y);
  y = tp_k_select (kernel, tp_k_binary (kernel, TP_I_FEQUAL, x, zero),
                   constant (kernel, x, -INFINITY), y);
  return tp_k_select (kernel, tp_k_binary (kernel, TP_I_FEQUAL, x, x), y, x);
}

/* x p(x^2) / q(x^2) */
static TpValue
odd_rational (TpKernel *kernel, TpValue x, const double *p, int n_p,
              const double *q, int n_q)
{
  TpValue square = multiply (kernel, x, x);

  return tp_k_binary (kernel, TP_I_FDIV,
                      multiply (kernel, x,
                                polynomial (kernel, square, p, n_p)),
                      polynomial (kernel, square, q, n_q));
}

TpValue
tp_k_tanh (TpKernel *kernel, TpValue x)
{
  static const double p[] = { -2.76076847742355e-16, 2.00018790482477e-13,
                              -8.60467152213735e-11, 5.12229709037114e-08,
                              1.48572235717979e-05, 6.37261928875436e-04,
                              4.89352455891786e-03 };
  static const double q[] = { 1.19825839466702e-06, 1.18534705686654e-04,
                              2.26843463243900e-03, 4.89352518554385e-03 };

  return odd_rational (kernel, clamp (kernel, x, -7.9053111, 7.9053111), p,
                       G_N_ELEMENTS (p), q, G_N_ELEMENTS (q));
}

TpValue
tp_k_erf (TpKernel *kernel, TpValue x)
{
  static const double p[] = { -2.72614225801306e-10, 2.77068142495902e-08,
                              -2.10102402082508e-06, -5.69250639462346e-05,
                              -7.34990630326855e-04, -2.95459980854025e-03,
                              -1.60960333262415e-02 };
  static const double q[] = { -1.45660718464996e-05, -2.13374055278905e-04,
                              -1.68282697438203e-03, -7.37332916720468e-03,
                              -1.42647390514189e-02 };

  return odd_rational (kernel, clamp (kernel, x, -4.0, 4.0), p,
                       G_N_ELEMENTS (p), q, G_N_ELEMENTS (q));
}

TpValue
tp_k_sigmoid (TpKernel *kernel, TpValue x)
{
  TpValue one = constant (kernel, x, 1.0);
  TpValue e = tp_k_exp (kernel, tp_k_unary (kernel, TP_I_FNEG, x));

  return tp_k_binary (kernel, TP_I_FDIV, one,
                      tp_k_binary (kernel, TP_I_FADD, one, e));
}

/* 1 for even whole y, -1 for odd ones, NaN for others: the sign of a power of
 * a negative number. */
static TpValue
power_sign (TpKernel *kernel, TpValue y)
{
  TpValue one = constant (kernel, y, 1.0);
  TpValue half = multiply (kernel, y, constant (kernel, y, 0.5));
  TpValue is_even = tp_k_binary (kernel, TP_I_FEQUAL, half,
                                 tp_k_unary (kernel, TP_I_FFLOOR, half));
  TpValue is_whole = tp_k_binary (kernel, TP_I_FEQUAL, y,
                                  tp_k_unary (kernel, TP_I_FFLOOR, y));

  return tp_k_select (kernel, is_even, one,
                      tp_k_select (kernel, is_whole,
                                   constant (kernel, y, -1.0),
                                   constant (kernel, y, NAN)));
}

TpValue
tp_k_pow (TpKernel *kernel, TpValue x, TpValue y)
{
  TpValue zero = constant (kernel, x, 0.0), one = constant (kernel, x, 1.0);
  TpValue log_x = tp_k_log (kernel, tp_k_unary (kernel, TP_I_FABS, x));
  TpValue size = tp_k_exp (kernel, multiply (kernel, y, log_x));
  TpValue sign = tp_k_select (kernel,
                              tp_k_binary (kernel, TP_I_FLESS, x, zero),
                              power_sign (kernel, y), one);

  return tp_k_select (kernel, tp_k_binary (kernel, TP_I_FEQUAL, y, zero), one,
                      multiply (kernel, size, sign));
}
