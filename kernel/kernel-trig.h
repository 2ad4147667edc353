/* kernel-trig.h: sine and cosine as kernel IR, by polynomials of Moshier's
 * Cephes. */
#ifndef TP_KERNEL_KERNEL_TRIG_H
#define TP_KERNEL_KERNEL_TRIG_H

#include "kernel/kernel.h"

TpValue tp_k_sin (TpKernel *kernel, TpValue x);
TpValue tp_k_cos (TpKernel *kernel, TpValue x);

#endif
