/* opencl-pinned.h: copies through host memory that stays where it is, which a device
 * reads and writes itself at the speed of its bus. */
#ifndef TP_RUNTIME_OPENCL_PINNED_H
#define TP_RUNTIME_OPENCL_PINNED_H

#include "runtime/opencl.h"

/* Bytes of a copy from which it is worth it. */
#define TP_OPENCL_PINNED_LEAST (64 << 10)

typedef struct TpOpenclPinned TpOpenclPinned;

/* Where a buffer is. */
typedef struct
{
  cl_mem memory;
  gint64 offset;              /* bytes */
} TpOpenclPlace;

/* Whether copies to and from @device gain by it: memory of its own, and no CPU.
 * TPLAN_OPENCL_PINNED in the environment: "no", none does; "yes", all but those that
 * use the host's memory (CL_DEVICE_HOST_UNIFIED_MEMORY) and are no CPUs. */
gboolean tp_opencl_wants_pinned (cl_device_id device);

/* Of the context of @queue, which is used again when it is freed. At most @n_threads
 * of the pool have a part in a copy. NULL: the driver has no such memory now. */
TpOpenclPinned *tp_opencl_pinned_new (cl_command_queue queue, int n_threads);
void tp_opencl_pinned_free (TpOpenclPinned *pinned); /* (nullable) */

/* As tp_opencl_copy (). Allocates nothing. One copy in each direction at a time. */
cl_int tp_opencl_pinned_copy (TpOpenclPinned *pinned, cl_command_queue queue,
                              const TpOpenclPlace *place, const TpCopy *copy);

#endif
