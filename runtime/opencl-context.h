/* opencl-context.h: the contexts of this process, one per device and number of
 * threads, kept until it ends. */
#ifndef TP_RUNTIME_OPENCL_CONTEXT_H
#define TP_RUNTIME_OPENCL_CONTEXT_H

#include "runtime/opencl.h"

/* The context of device @index with @n_threads threads (devices that are no
 * CPUs use all they have); both live as long as the process. Thread: any. */
cl_int tp_opencl_find_context (int index, int n_threads,
                               TpOpenclContext *out_context);

/* Whether the threads of the drivers are not in this process: it was forked after
 * the first context was made, and every call of a driver may wait for them. */
gboolean tp_opencl_is_forked (void);
/* FALSE, and says so, if it is. */
gboolean tp_opencl_check_process (const char *device, GError **error);

/* clReleaseWHAT (@object); in such a child nothing. */
#define TP_OPENCL_RELEASE(WHAT, object)                                       \
  (tp_opencl_is_forked () ? CL_SUCCESS : clRelease##WHAT (object))

#endif
