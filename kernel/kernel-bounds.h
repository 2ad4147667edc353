/* kernel-bounds.h: the part of the verifier that proves indices in range. */
#ifndef TP_KERNEL_KERNEL_BOUNDS_H
#define TP_KERNEL_KERNEL_BOUNDS_H

#include "kernel/kernel.h"

/* @kernel is well formed otherwise. */
gboolean tp_kernel_verify_bounds (const TpKernel *kernel, GError **error);

#endif
