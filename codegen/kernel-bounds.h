/* kernel-bounds.h: the part of the verifier that proves indices in range. */
#ifndef TP_CODEGEN_KERNEL_BOUNDS_H
#define TP_CODEGEN_KERNEL_BOUNDS_H

#include "codegen/kernel.h"

/* @kernel is well formed otherwise. */
gboolean tp_kernel_verify_bounds (const TpKernel *kernel, GError **error);

#endif
