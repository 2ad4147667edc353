/* kernel-interpret.h: runs a kernel, one instruction at a time: the oracle for
 * the emitters. */
#ifndef TP_KERNEL_KERNEL_INTERPRET_H
#define TP_KERNEL_KERNEL_INTERPRET_H

#include "kernel/kernel.h"

/* Runs every group over @buffers (one per global buffer), for the @iteration-th
 * time. Checks every index. */
gboolean tp_kernel_interpret (const TpKernel *kernel, void *const *buffers,
                              gint64 iteration, GError **error);

#endif
