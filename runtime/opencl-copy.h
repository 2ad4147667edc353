/* opencl-copy.h: copies between a buffer and host memory. */
#ifndef TP_RUNTIME_OPENCL_COPY_H
#define TP_RUNTIME_OPENCL_COPY_H

#include "runtime/opencl.h"

/* Where a buffer is. */
typedef struct
{
  cl_mem memory;
  gint64 offset;              /* bytes */
} TpOpenclPlace;

/* Ordered in @queue; what host memory has to do with it is over on return. */
cl_int tp_opencl_copy (cl_command_queue queue, const TpOpenclPlace *place,
                       const TpCopy *copy);
/* The same, for which the caller stays awake (opencl-wait.h). */
cl_int tp_opencl_copy_awake (cl_command_queue queue,
                             const TpOpenclPlace *place, const TpCopy *copy);
/* The same by mapping, where the memory is the host's. */
cl_int tp_opencl_copy_mapped (cl_command_queue queue,
                              const TpOpenclPlace *place, const TpCopy *copy);

#endif
