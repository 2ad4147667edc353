/* kernel-digest.h: names that tell what a kernel computes. */
#ifndef TP_KERNEL_KERNEL_DIGEST_H
#define TP_KERNEL_KERNEL_DIGEST_H

#include "ir/array.h"
#include "kernel/kernel.h"

/* All of @kernel but its name, and short: equal bytes, equal kernels. The same in
 * every process. */
void tp_kernel_append_bytes (const TpKernel *kernel, TpArray *bytes);
/* Names @kernel by @family and a digest: equal names, equal kernels. */
void tp_kernel_set_digest_name (TpKernel *kernel, const char *family);

#endif
