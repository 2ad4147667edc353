/* kernel-uniform.h: barriers that all items of a group reach, or none. */
#ifndef TP_KERNEL_KERNEL_UNIFORM_H
#define TP_KERNEL_KERNEL_UNIFORM_H

#include "kernel/kernel.h"

/* TPLAN_ERROR_FAILED: a barrier stands where some items may not get, or not
 * equally often: on a GPU the others wait for ever. Regions must be well
 * formed. */
gboolean tp_kernel_verify_barriers (const TpKernel *kernel, GError **error);

#endif
