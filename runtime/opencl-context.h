/* opencl-context.h: the contexts of this process, one per device and number of
 * threads, kept until it ends. */
#ifndef TP_RUNTIME_OPENCL_CONTEXT_H
#define TP_RUNTIME_OPENCL_CONTEXT_H

#include "runtime/opencl.h"

/* The context of device @index with @n_threads threads (devices that are no
 * CPUs use all they have); both live as long as the process. Thread: any. */
cl_int tp_opencl_find_context (int index, int n_threads,
                               TpOpenclContext *out_context);

#endif
