/* runners.h: one kernel, run by each of those who can, for tests. */
#ifndef TP_TESTS_RUNNERS_H
#define TP_TESTS_RUNNERS_H

#include "kernel/kernel.h"

/* FALSE: not here, and why. */
typedef gboolean (*RunKernelFunc) (const TpKernel *kernel, void *const *buffers,
                                   const char **out_reason);

gboolean run_kernel_interpreter (const TpKernel *kernel, void *const *buffers,
                                 const char **out_reason);
gboolean run_kernel_opencl (const TpKernel *kernel, void *const *buffers,
                            const char **out_reason);
/* @without: of TpJitWork. Links nothing: no function of a library may be called. */
gboolean run_kernel_jit (const TpKernel *kernel, void *const *buffers,
                         const char *without, const char **out_reason);

#endif
