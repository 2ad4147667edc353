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

/* The magnitude of @x with the sign of @sign; NaN of @sign counts as plus. */
static inline TpValue
give_sign (TpKernel *kernel, TpValue x, TpValue sign)
{
  TpValue zero = real (kernel, x, 0);

  return tp_k_select (kernel, tp_k_binary (kernel, TP_I_FLESS, sign, zero),
                      tp_k_unary (kernel, TP_I_FNEG, x), x);
}

#endif
