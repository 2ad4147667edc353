/* kernel-verify.h: is a kernel well formed? Kinds, lanes, scopes, regions and
 * buffers here. */
#ifndef TP_KERNEL_KERNEL_VERIFY_H
#define TP_KERNEL_KERNEL_VERIFY_H

#include "kernel/kernel.h"

/* SSA order, kinds, lanes, regions; and, by interval arithmetic over counters,
 * group and item, every index against its buffer. */
gboolean tp_kernel_verify (const TpKernel *kernel, GError **error);

#endif
