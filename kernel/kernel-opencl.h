/* kernel-opencl.h: a kernel as OpenCL C 1.2. */
#ifndef TP_KERNEL_KERNEL_OPENCL_H
#define TP_KERNEL_KERNEL_OPENCL_H

#include "kernel/kernel.h"

/* OpenCL C of one kernel (no preamble) and the preamble of a program. */
char *tp_kernel_to_opencl (const TpKernel *kernel);

#endif
