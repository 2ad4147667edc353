/* kernel-verify.h: is a kernel well formed? Kinds, lanes, scopes, regions and
 * buffers here. */
#ifndef TP_KERNEL_KERNEL_VERIFY_H
#define TP_KERNEL_KERNEL_VERIFY_H

#include "kernel/kernel.h"

/* SSA order, kinds, lanes, regions; and every index against its buffer, by affine
 * forms over groups, items, counters and lanes: see kernel-bounds.c. */
gboolean tp_kernel_verify (const TpKernel *kernel, GError **error);

#endif
