/* kernel-trig.c: sine and cosine as kernel IR, by polynomials of Moshier's
 * Cephes. Angles are reduced by three parts of pi (Cody and Waite), large ones
 * by as many places of 2/pi as they need (Payne and Hanek). */
#include "config.h"

#include "kernel/kernel-trig.h"

#include "kernel/kernel-math-parts.h"

#include <math.h>

#define HALF_PI_HIGH 0x1.921fb6p+0f
#define HALF_PI_MIDDLE -0x1.777a5cp-25f
#define HALF_PI_LOW -0x1.ee59dap-50f
#define LARGE_ANGLE 0x1p17f

/* x = n pi/2 + the result; *out_n is I32. Up to LARGE_ANGLE the first step is
 * exact. */
static TpValue
reduce_angle (TpKernel *kernel, TpValue x, TpValue *out_n)
{
  TpValue n = binary (kernel, TP_I_FMUL, x, 0x1.45f306p-1f), r;

  n = tp_k_unary (kernel, TP_I_FROUND, n);
  r = tp_k_fma (kernel, n, real (kernel, x, -HALF_PI_HIGH), x);
  r = tp_k_fma (kernel, n, real (kernel, x, -HALF_PI_MIDDLE), r);
  r = tp_k_fma (kernel, n, real (kernel, x, -HALF_PI_LOW), r);
  *out_n = tp_k_unary (kernel, TP_I_F32_TO_I32, n);
  return r;
}

static TpValue
wide (TpKernel *kernel, TpValue like, gint64 value)
{
  return tp_k_splat (kernel, tp_k_index (kernel, value),
                     kernel->instrs[like].lanes);
}

static TpValue
binary_w (TpKernel *kernel, TpInstrOp op, TpValue x, gint64 y)
{
  return tp_k_binary (kernel, op, x, wide (kernel, x, y));
}

/* (2/pi 2^(16 block - 6)) mod 4 times @m below 2^39, mod 4, in units of 2^-62:
 * Payne and Hanek, with 2/pi to 106 places behind the window. */
static TpValue
count_quarters (TpKernel *kernel, TpValue m, TpValue block)
{
  static const struct
  {
    gint64 high, middle, low; /* 64, 22 and 22 bits */
  } windows[] = {
    { 45873289113781269, 0x0a7f09, 0x357d1f },
    { -467408653887657476, 0x09d5f4, 0x1f534d },
    { 7948365250044897111, 0x347d4d, 0x0ddc0d },
    { 4905873532058587637, 0x0d3770, 0x0db629 },
    { 3025336307824276701, 0x3036d8, 0x295993 },
    { 2834965341537157339, 0x18a566, 0x13c439 },
    { -3317687423460482411, 0x264f10, 0x39041f },
  };
  TpValue high = wide (kernel, m, windows[0].high), mask;
  TpValue middle = wide (kernel, m, windows[0].middle);
  TpValue low = wide (kernel, m, windows[0].low);

  for (int i = 1; i < (int)G_N_ELEMENTS (windows); i++)
    {
      mask = binary_i (kernel, TP_I_IEQUAL, block, i);
      high =
          tp_k_select (kernel, mask, wide (kernel, m, windows[i].high), high);
      middle = tp_k_select (kernel, mask, wide (kernel, m, windows[i].middle),
                            middle);
      low = tp_k_select (kernel, mask, wide (kernel, m, windows[i].low), low);
    }
  low = binary_w (kernel, TP_I_IDIV, tp_k_binary (kernel, TP_I_IMUL, m, low),
                  1 << 22);
  middle = tp_k_binary (kernel, TP_I_IMUL, m, middle);
  middle = tp_k_binary (kernel, TP_I_IADD, middle, low);
  middle = binary_w (kernel, TP_I_IDIV, middle, 1 << 22);
  high = tp_k_binary (kernel, TP_I_IMUL, m, high);
  return tp_k_binary (kernel, TP_I_IADD, high, middle);
}

/* x / 2^62, rounded down. */
static TpValue
floor_quarters (TpKernel *kernel, TpValue x)
{
  const gint64 one = G_GINT64_CONSTANT (1) << 62;
  TpValue n = binary_w (kernel, TP_I_IDIV, x, one), rest;

  rest = binary_w (kernel, TP_I_IMOD, x, one);
  rest = tp_k_binary (kernel, TP_I_ILESS, rest, wide (kernel, x, 0));
  return tp_k_select (kernel, rest, binary_w (kernel, TP_I_ISUB, n, 1), n);
}

/* The same for |x| = m 2^e that is larger, from its bits. */
static TpValue
reduce_large (TpKernel *kernel, TpValue x, TpValue *out_n)
{
  const gint64 one = G_GINT64_CONSTANT (1) << 62;
  TpValue bits = tp_k_unary (kernel, TP_I_FABS, x), e, m, n, rest, r;

  bits = tp_k_unary (kernel, TP_I_AS_I32, bits);
  e = binary_i (kernel, TP_I_IDIV, bits, 1 << 23);
  e = binary_i (kernel, TP_I_IMAX, binary_i (kernel, TP_I_ISUB, e, 144), 0);
  m = binary_i (kernel, TP_I_IAND, bits, (1 << 23) - 1);
  m = binary_i (kernel, TP_I_IADD, m, 1 << 23);
  n = tp_k_binary (kernel, TP_I_ISHL, integer (kernel, x, 1),
                   binary_i (kernel, TP_I_IAND, e, 15));
  m = tp_k_binary (kernel, TP_I_IMUL, tp_k_unary (kernel, TP_I_I32_TO_INDEX, m),
                   tp_k_unary (kernel, TP_I_I32_TO_INDEX, n));
  rest = count_quarters (kernel, m, binary_i (kernel, TP_I_IDIV, e, 16));
  /* To the nearest quarter; numbers wrap as whole turns do. */
  n = floor_quarters (kernel, binary_w (kernel, TP_I_IADD, rest, one / 2));
  m = binary_w (kernel, TP_I_IMUL, n, one);
  r = tp_k_unary (kernel, TP_I_INDEX_TO_F32,
                  tp_k_binary (kernel, TP_I_ISUB, rest, m));
  *out_n = tp_k_unary (kernel, TP_I_INDEX_TO_I32, n);
  rest = binary (kernel, TP_I_FMUL, r, HALF_PI_MIDDLE * 0x1p-62f);
  return tp_k_fma (kernel, r, real (kernel, x, HALF_PI_HIGH * 0x1p-62f), rest);
}

/* For any magnitude of @x; a loop that runs at most once, where some lane is
 * large, spares the others the long way. */
static TpValue
reduce_any (TpKernel *kernel, TpValue x, TpValue *out_n)
{
  TpValue t = tp_k_unary (kernel, TP_I_FABS, x), is_large, trips, zero;
  TpValue carry[2], next[2];

  next[0] = reduce_angle (kernel, t, &next[1]);
  zero = tp_k_index (kernel, 0);
  is_large = tp_k_binary (kernel, TP_I_FLESS, real (kernel, x, LARGE_ANGLE), t);
  trips = tp_k_unary (
      kernel, TP_I_LANE_MAX,
      tp_k_select (kernel, is_large, real (kernel, x, 1), real (kernel, x, 0)));
  trips = tp_k_binary (kernel, TP_I_FLESS, tp_k_f32 (kernel, 1, 0), trips);
  trips = tp_k_select (kernel, trips, tp_k_index (kernel, 1), zero);
  tp_k_for (kernel, zero, trips, 1);
  carry[0] = tp_k_carry (kernel, next[0]);
  carry[1] = tp_k_carry (kernel, next[1]);
  next[0] = reduce_large (kernel, t, &next[1]);
  next[0] = tp_k_select (kernel, is_large, next[0], carry[0]);
  next[1] = tp_k_select (kernel, is_large, next[1], carry[1]);
  tp_k_end_for (kernel, next, 2, next);
  *out_n = next[1];
  return next[0];
}

/* Of @r up to pi/4 in magnitude plus @n quarters of a turn: the sine. */
static TpValue
sine_of (TpKernel *kernel, TpValue r, TpValue n)
{
  static const float sine[] = { -1.9515295891e-4f, 8.3321608736e-3f,
                                -1.6666654611e-1f };
  static const float cosine[] = { 2.443315711809948e-5f, -1.388731625493765e-3f,
                                  4.166664568298827e-2f };
  TpValue square = tp_k_binary (kernel, TP_I_FMUL, r, r), s, c, mask;
  TpValue zero = integer (kernel, n, 0);

  s = tp_k_binary (kernel, TP_I_FMUL, square,
                   polynomial (kernel, square, sine, 3));
  s = tp_k_fma (kernel, s, r, r);
  c = tp_k_binary (kernel, TP_I_FMUL, square,
                   polynomial (kernel, square, cosine, 3));
  c = tp_k_fma (kernel, c, square, binary (kernel, TP_I_FMUL, square, -0.5f));
  c = binary (kernel, TP_I_FADD, c, 1);
  mask = tp_k_binary (kernel, TP_I_IEQUAL, binary_i (kernel, TP_I_IAND, n, 1),
                      zero);
  s = tp_k_select (kernel, mask, s, c);
  mask = tp_k_binary (kernel, TP_I_IEQUAL, binary_i (kernel, TP_I_IAND, n, 2),
                      zero);
  return tp_k_select (kernel, mask, s, tp_k_unary (kernel, TP_I_FNEG, s));
}

/* @result, or NaN for what is not finite. */
static TpValue
select_finite (TpKernel *kernel, TpValue x, TpValue result)
{
  TpValue t = tp_k_unary (kernel, TP_I_FABS, x);

  t = tp_k_binary (kernel, TP_I_FLESS, t, real (kernel, x, INFINITY));
  return tp_k_select (kernel, t, result, tp_k_binary (kernel, TP_I_FSUB, x, x));
}

TpValue
tp_k_sin (TpKernel *kernel, TpValue x)
{
  TpValue n, r = reduce_any (kernel, x, &n), is_tiny;

  r = give_sign (kernel, sine_of (kernel, r, n), x);
  is_tiny = tp_k_binary (kernel, TP_I_FLESS, tp_k_unary (kernel, TP_I_FABS, x),
                         real (kernel, x, 0x1p-12f));
  return select_finite (kernel, x, tp_k_select (kernel, is_tiny, x, r));
}

TpValue
tp_k_cos (TpKernel *kernel, TpValue x)
{
  TpValue n, r = reduce_any (kernel, x, &n);

  n = binary_i (kernel, TP_I_IADD, n, 1);
  return select_finite (kernel, x, sine_of (kernel, r, n));
}
