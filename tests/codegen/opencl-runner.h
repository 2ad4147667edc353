/* opencl-runner.h: kernels on the first OpenCL device, for tests. */
#ifndef TP_TESTS_OPENCL_RUNNER_H
#define TP_TESTS_OPENCL_RUNNER_H

#include "kernel/kernel.h"

typedef struct OpenclRunner OpenclRunner;

/* One program of all @kernels, whose names differ. %NULL: *out_reason (owned by
 * the caller) says why there is no device; a build error ends the test. */
OpenclRunner *opencl_runner_new (const TpKernel *const *kernels, int n_kernels,
                                 char **out_reason);
void opencl_runner_free (OpenclRunner *runner);
void opencl_runner_run (OpenclRunner *runner, int kernel, gint64 iteration,
                        void *const *buffers);

#endif
