/* opencl-mma.h: whether waves of a device multiply matrices by an instruction (TP_I_MMA). */
#ifndef TP_RUNTIME_OPENCL_MMA_H
#define TP_RUNTIME_OPENCL_MMA_H

#include "runtime/opencl.h"

/* NVIDIA's of compute capability 8.0 and later have it; and only where a product that was
 * tried in @context, once in a process, came out right, is it used. TPLAN_OPENCL_MMA in
 * the environment: "no", never; "yes", spelt out where it is not there. */
TpOpenclMma tp_opencl_find_mma (cl_context context, cl_device_id device);

#endif
