/* opencl-copy.h: copies between a buffer and host memory, in the way that suits a
 * device. */
#ifndef TP_RUNTIME_OPENCL_COPY_H
#define TP_RUNTIME_OPENCL_COPY_H

#include "runtime/opencl-pinned.h"

typedef struct
{
  gboolean is_mapped;         /* copies by mapping: memory is the host's */
  gboolean is_awake;          /* who waits for the device */
  gboolean wants_pinned;      /* not yet tried */
  int n_threads;              /* of the pool, for a copy */
  TpOpenclPinned *pinned;     /* for larger copies; NULL: as for small ones */
} TpOpenclCopier;

void tp_opencl_copier_init (TpOpenclCopier *copier, cl_device_id device);
void tp_opencl_copier_clear (TpOpenclCopier *copier); /* before its queues */

/* Has pinned memory where copies of @size_bytes gain by it: before the first. */
void tp_opencl_copier_prepare (TpOpenclCopier *copier, cl_command_queue queue,
                               gint64 size_bytes);

/* Ordered in @queue; what host memory has to do with it is over on return. */
cl_int tp_opencl_copy (const TpOpenclCopier *copier, cl_command_queue queue,
                       const TpOpenclPlace *place, const TpCopy *copy);

#endif
