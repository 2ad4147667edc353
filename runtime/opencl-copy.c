/* opencl-copy.c: see opencl-copy.h. */
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

/* The caller stays awake (opencl-wait.h). */
static cl_int
copy_awake (cl_command_queue queue, const TpOpenclPlace *place,
            const TpCopy *copy)
{
  cl_event event = NULL;
  cl_int code = enqueue (queue, place, copy, CL_FALSE, &event);

  code = tp_opencl_check (code, event);
  return code == CL_SUCCESS ? tp_opencl_await (queue, event) : code;
}

static cl_int
copy_mapped (cl_command_queue queue, const TpOpenclPlace *place,
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

cl_int
tp_opencl_copy (const TpOpenclCopier *copier, cl_command_queue queue,
                const TpOpenclPlace *place, const TpCopy *copy)
{
  if (copier->is_mapped)
    return copy_mapped (queue, place, copy);
  if (copier->pinned != NULL && copy->size_bytes >= TP_OPENCL_PINNED_LEAST)
    return tp_opencl_pinned_copy (copier->pinned, queue, place, copy);
  if (copier->is_awake)
    return copy_awake (queue, place, copy);
  return enqueue (queue, place, copy, CL_TRUE, NULL);
}

void
tp_opencl_copier_init (TpOpenclCopier *copier, cl_device_id device)
{
  *copier = (TpOpenclCopier){
    .is_mapped = !tp_opencl_is_cpu (device)
                 && tp_opencl_get_number (device,
                                          CL_DEVICE_HOST_UNIFIED_MEMORY),
    .wants_pinned = tp_opencl_wants_pinned (device),
  };
}

void
tp_opencl_copier_clear (TpOpenclCopier *copier)
{
  tp_opencl_pinned_free (copier->pinned);
  copier->pinned = NULL;
}

void
tp_opencl_copier_prepare (TpOpenclCopier *copier, cl_command_queue queue,
                          gint64 size_bytes)
{
  if (!copier->wants_pinned || size_bytes < TP_OPENCL_PINNED_LEAST)
    return;
  copier->wants_pinned = FALSE;
  copier->pinned = tp_opencl_pinned_new (queue, copier->n_threads);
}
