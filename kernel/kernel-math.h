/* kernel-math.h: elementary functions as kernel IR, so that every device gives
 * the same answer. Arguments and results are F32 of any lanes. NaN gives NaN,
 * infinities and zeros what C99 says; results that underflow are rounded into
 * the denormals. Errors are at most 1.2 ulp (exp, log, erf), 1.6 (tanh), 2 (sin,
 * cos), 2.6 (sigmoid) and 7 (pow, where exponents are large). Angles of any
 * size are reduced by as much of pi as they need. */
#ifndef TP_KERNEL_KERNEL_MATH_H
#define TP_KERNEL_KERNEL_MATH_H

#include "kernel/kernel.h"

TpValue tp_k_exp (TpKernel *kernel, TpValue x);
/* For x of at most 88: half the instructions. The error is at most 1.8e-7 and, below
 * 0, 1.4e-8 |x| of the result: no more than what x, if it is a difference, is rounded
 * by. Instead of denormals it gives 0, or something below 2^-126 for some. */
TpValue tp_k_exp_below (TpKernel *kernel, TpValue x);
TpValue tp_k_log (TpKernel *kernel, TpValue x);
TpValue tp_k_tanh (TpKernel *kernel, TpValue x);
TpValue tp_k_erf (TpKernel *kernel, TpValue x);
TpValue tp_k_sigmoid (TpKernel *kernel, TpValue x);
TpValue tp_k_pow (TpKernel *kernel, TpValue x, TpValue y);

#endif
