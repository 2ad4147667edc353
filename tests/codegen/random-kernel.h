/* random-kernel.h: valid kernels at random, and how to compare what they do. */
#ifndef TP_TESTS_RANDOM_KERNEL_H
#define TP_TESTS_RANDOM_KERNEL_H

#include "codegen/kernel.h"

#define RANDOM_KERNEL_N 64    /* elements of the output per group */

/* Two inputs and an output; every group writes a slice of its own. */
TpKernel *random_kernel_new (int n_instrs);

/* Buffers of @kernel, filled from g_test_rand_*. */
float **random_buffers_new (const TpKernel *kernel);
float **random_buffers_copy (const TpKernel *kernel, float *const *buffers);
void random_buffers_free (const TpKernel *kernel, float **buffers);

/* Equal bits, or both NaN. Prints the kernel where not. */
void random_buffers_assert_equal (const TpKernel *kernel, float *const *x,
                                  float *const *y);

#endif
