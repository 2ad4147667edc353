/* random-kernel.h: valid kernels at random, and how to compare what they do. */
#ifndef TP_TESTS_RANDOM_KERNEL_H
#define TP_TESTS_RANDOM_KERNEL_H

#include "kernel/kernel.h"

#define RANDOM_KERNEL_N 64    /* elements of the output per group */

/* An input and an output of every type; a group writes slices of its own. */
TpKernel *random_kernel_new (int n_instrs);
/* The same for GPUs: groups of two items, of which the last one works. */
TpKernel *random_kernel_new_items (int n_instrs);

/* Buffers of @kernel, filled from g_test_rand_*. */
void **random_buffers_new (const TpKernel *kernel);
void **random_buffers_copy (const TpKernel *kernel, void *const *buffers);
void random_buffers_free (const TpKernel *kernel, void **buffers);

/* Equal bits, or both NaN. Prints the kernel where not. */
void random_buffers_assert_equal (const TpKernel *kernel, void *const *x,
                                  void *const *y);

#endif
