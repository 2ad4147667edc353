/* opencl-shared.c: see opencl-shared.h.
 *
 * A driver of a CPU does copies in the threads that have its kernels, so a copy in a
 * queue of its own waits for whatever kernel is at work. */
#include "config.h"

#include "runtime/opencl-shared.h"

#include <stdlib.h>

typedef struct
{
  cl_context context;
  void *data;
} Owned;

/* Drivers of OpenCL 1 have no entries for it, whatever they say they can. */
static gboolean
is_of_version_2 (cl_device_id device)
{
  g_autofree char *version = tp_opencl_dup_text (device, CL_DEVICE_VERSION);

  return version != NULL && g_str_has_prefix (version, "OpenCL ")
         && version[7] >= '2' && version[7] <= '9';
}

static gboolean
has_one_memory (cl_device_id device)
{
  return tp_opencl_is_cpu (device)
         || tp_opencl_get_number (device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
}

gboolean
tp_opencl_can_map (cl_device_id device)
{
  cl_device_svm_capabilities can = 0;

  return g_strcmp0 (secure_getenv ("TPLAN_OPENCL_SHARE"), "no") != 0
         && has_one_memory (device) && is_of_version_2 (device)
         && clGetDeviceInfo (device, CL_DEVICE_SVM_CAPABILITIES, sizeof can,
                             &can, NULL)
                == CL_SUCCESS
         && (can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
}

gboolean
tp_opencl_can_share (cl_device_id device)
{
  return tp_opencl_is_cpu (device) && tp_opencl_can_map (device);
}

static void CL_CALLBACK
on_destroyed (cl_mem memory, void *data)
{
  Owned *owned = data;

  (void) memory;
  clSVMFree (owned->context, owned->data);
  g_free (owned);
}

static cl_mem
own (cl_mem memory, cl_context context, void *data, cl_int *out_code)
{
  Owned *owned = g_new (Owned, 1);

  *owned = (Owned){ context, data };
  *out_code = clSetMemObjectDestructorCallback (memory, on_destroyed, owned);
  if (*out_code == CL_SUCCESS)
    return memory;
  g_free (owned);
  clReleaseMemObject (memory);
  clSVMFree (context, data);
  return NULL;
}

cl_mem
tp_opencl_new_shared (cl_context context, size_t size_bytes, char **out_data,
                      cl_int *out_code)
{
  char *data = clSVMAlloc (
      context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size_bytes, 0);
  cl_mem memory;

  *out_code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  *out_data = data;
  if (data == NULL)
    return NULL;
  memory = clCreateBuffer (context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                           size_bytes, data, out_code);
  *out_code = tp_opencl_check (*out_code, memory);
  if (*out_code == CL_SUCCESS)
    return own (memory, context, data, out_code);
  clSVMFree (context, data);
  return NULL;
}
