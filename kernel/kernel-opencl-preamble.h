/* kernel-opencl-preamble.h: what printed kernels use: sums over lanes in the
 * order of the other back ends, masked access, and what integers do where C
 * has no answer. */
#ifndef TP_KERNEL_KERNEL_OPENCL_PREAMBLE_H
#define TP_KERNEL_KERNEL_OPENCL_PREAMBLE_H

const char *tp_opencl_preamble (void);

#endif
