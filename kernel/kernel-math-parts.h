/* kernel-math-parts.h: what elementary functions are made of. */
#ifndef TP_KERNEL_KERNEL_MATH_PARTS_H
#define TP_KERNEL_KERNEL_MATH_PARTS_H

#include "kernel/kernel.h"

static inline TpValue
real (TpKernel *kernel, TpValue like, float value)
{
  return tp_k_f32 (kernel, kernel->instrs[like].lanes, value);
}

static inline TpValue
integer (TpKernel *kernel, TpValue like, gint32 value)
{
  return tp_k_i32 (kernel, kernel->instrs[like].lanes, value);
}

static inline TpValue
binary (TpKernel *kernel, TpInstrOp op, TpValue x, float y)
{
  return tp_k_binary (kernel, op, x, real (kernel, x, y));
}

static inline TpValue
binary_i (TpKernel *kernel, TpInstrOp op, TpValue x, gint32 y)
{
  return tp_k_binary (kernel, op, x, integer (kernel, x, y));
}

/* Horner's rule, highest coefficient first. */
static inline TpValue
polynomial (TpKernel *kernel, TpValue x, const float *coefs, int n)
{
  TpValue sum = real (kernel, x, coefs[0]);

  for (int i = 1; i < n; i++)
    sum = tp_k_fma (kernel, sum, x, real (kernel, x, coefs[i]));
  return sum;
}

/* The same by two rules of Horner at once, for even and odd powers, which wait half
 * as long. */
static inline TpValue
polynomial_by_squares (TpKernel *kernel, TpValue x, TpValue square,
                       const float *coefs, int n)
{
  TpValue sum = real (kernel, x, coefs[0]);
  int i = 1;

  if (n % 2 == 0)
    sum = tp_k_fma (kernel, sum, x, real (kernel, x, coefs[i++]));
  for (; i < n; i += 2)
    {
      TpValue pair = tp_k_fma (kernel, real (kernel, x, coefs[i]), x,
                               real (kernel, x, coefs[i + 1]));

      sum = tp_k_fma (kernel, sum, square, pair);
    }
  return sum;
}

/* @x, negated where the sign bit of @sign is set. */
static inline TpValue
give_sign (TpKernel *kernel, TpValue x, TpValue sign)
{
  TpValue bits = tp_k_unary (kernel, TP_I_AS_I32, sign);

  bits = binary_i (kernel, TP_I_IAND, bits, G_MININT32);
  bits = tp_k_binary (kernel, TP_I_IADD, bits,
                      tp_k_unary (kernel, TP_I_AS_I32, x));
  return tp_k_unary (kernel, TP_I_AS_F32, bits);
}

#endif
