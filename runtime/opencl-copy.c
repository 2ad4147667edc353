/* opencl-copy.c: copies between a buffer and host memory. */
#include "config.h"

#include "runtime/opencl-copy.h"

#include "runtime/host.h"

cl_int
tp_opencl_copy (cl_command_queue queue, cl_mem memory, const TpCopy *copy)
{
  if (copy->is_write)
    return clEnqueueWriteBuffer (queue, memory, CL_TRUE, 0, copy->size_bytes,
                                 copy->host, 0, NULL, NULL);
  return clEnqueueReadBuffer (queue, memory, CL_TRUE, 0, copy->size_bytes,
                              copy->host, 0, NULL, NULL);
}

cl_int
tp_opencl_copy_mapped (cl_command_queue queue, cl_mem memory,
                       const TpCopy *copy)
{
  cl_int code;
  void *there = clEnqueueMapBuffer (
      queue, memory, CL_TRUE,
      copy->is_write ? CL_MAP_WRITE_INVALIDATE_REGION : CL_MAP_READ, 0,
      copy->size_bytes, 0, NULL, NULL, &code);

  code = tp_opencl_check (code, there);
  if (code != CL_SUCCESS)
    return code;
  tp_host_copy (copy, there);
  return clEnqueueUnmapMemObject (queue, memory, there, 0, NULL, NULL);
}
