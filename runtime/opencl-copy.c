/* opencl-copy.c: copies between a buffer and host memory. */
#include "config.h"

#include "runtime/opencl-copy.h"

#include "runtime/host.h"
#include "runtime/opencl-wait.h"

static cl_int
enqueue (cl_command_queue queue, const TpOpenclPlace *place,
         const TpCopy *copy, cl_bool is_blocking, cl_event *out_event)
{
  if (copy->is_write)
    return clEnqueueWriteBuffer (queue, place->memory, is_blocking, place->offset,
                                 copy->size_bytes, copy->host, 0, NULL,
                                 out_event);
  return clEnqueueReadBuffer (queue, place->memory, is_blocking, place->offset,
                              copy->size_bytes, copy->host, 0, NULL, out_event);
}

cl_int
tp_opencl_copy (cl_command_queue queue, const TpOpenclPlace *place,
                const TpCopy *copy)
{
  return enqueue (queue, place, copy, CL_TRUE, NULL);
}

cl_int
tp_opencl_copy_awake (cl_command_queue queue, const TpOpenclPlace *place,
                      const TpCopy *copy)
{
  cl_event event = NULL;
  cl_int code = enqueue (queue, place, copy, CL_FALSE, &event);

  code = tp_opencl_check (code, event);
  return code == CL_SUCCESS ? tp_opencl_await (queue, event) : code;
}

cl_int
tp_opencl_copy_mapped (cl_command_queue queue, const TpOpenclPlace *place,
                       const TpCopy *copy)
{
  cl_int code;
  void *there = clEnqueueMapBuffer (
      queue, place->memory, CL_TRUE,
      copy->is_write ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ,
      place->offset, copy->size_bytes, 0, NULL, NULL, &code);

  code = tp_opencl_check (code, there);
  if (code != CL_SUCCESS)
    return code;
  tp_host_copy (copy, there);
  return clEnqueueUnmapMemObject (queue, place->memory, there, 0, NULL, NULL);
}
