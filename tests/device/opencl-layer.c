/* opencl-layer.c: a layer for the OpenCL loader that fails one call of one
 * function: TEST_OPENCL_FAIL="clCreateBuffer 3 -4" fails the third with -4. With
 * TEST_OPENCL_WHOLE devices cannot be parted, and the driver has no such call. */
#define CL_TARGET_OPENCL_VERSION 120
#include "config.h"

#include <CL/cl_layer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch *target;
static cl_icd_dispatch layer;

/* The code to fail with, or CL_SUCCESS. Counting starts anew when the variable
 * changes. */
static cl_int
choose (const char *function)
{
  static char last[64];
  static int n_calls;
  const char *text = getenv ("TEST_OPENCL_FAIL");
  char name[40] = "";
  int call = 0, code = 0;

  if (text == NULL || strlen (text) >= sizeof last)
    text = "";
  if (strcmp (text, last) != 0)
    {
      strcpy (last, text);
      n_calls = 0;
    }
  if (sscanf (text, "%39s %d %d", name, &call, &code) != 3
      || strcmp (name, function) != 0)
    return CL_SUCCESS;
  return ++n_calls == call ? code : CL_SUCCESS;
}

/* Functions that return an object, and an error through a pointer. */
#define MAKES(type, name, parameters, arguments)                              \
  static CL_API_ENTRY type CL_API_CALL name##_layer parameters                \
  {                                                                           \
    cl_int code = choose (#name);                                             \
                                                                              \
    if (code == CL_SUCCESS)                                                   \
      return target->name arguments;                                          \
    if (out_code != NULL)                                                     \
      *out_code = code;                                                       \
    return NULL;                                                              \
  }
/* Functions that return an error. */
#define DOES(name, parameters, arguments)                                     \
  static CL_API_ENTRY cl_int CL_API_CALL name##_layer parameters              \
  {                                                                           \
    cl_int code = choose (#name);                                             \
                                                                              \
    return code == CL_SUCCESS ? target->name arguments : code;                \
  }

typedef void (CL_CALLBACK *ContextNotify) (const char *, const void *, size_t,
                                           void *);
typedef void (CL_CALLBACK *BuildNotify) (cl_program, void *);

MAKES (cl_context, clCreateContext,
       (const cl_context_properties *a, cl_uint b, const cl_device_id *c,
        ContextNotify d, void *e, cl_int *out_code),
       (a, b, c, d, e, out_code))
MAKES (cl_command_queue, clCreateCommandQueue,
       (cl_context a, cl_device_id b, cl_command_queue_properties c,
        cl_int *out_code),
       (a, b, c, out_code))
MAKES (cl_mem, clCreateBuffer,
       (cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *out_code),
       (a, b, c, d, out_code))
MAKES (cl_mem, clCreateSubBuffer,
       (cl_mem a, cl_mem_flags b, cl_buffer_create_type c, const void *d,
        cl_int *out_code),
       (a, b, c, d, out_code))
MAKES (cl_program, clCreateProgramWithSource,
       (cl_context a, cl_uint b, const char **c, const size_t *d,
        cl_int *out_code),
       (a, b, c, d, out_code))
MAKES (cl_kernel, clCreateKernel,
       (cl_program a, const char *b, cl_int *out_code), (a, b, out_code))
DOES (clBuildProgram,
      (cl_program a, cl_uint b, const cl_device_id *c, const char *d,
       BuildNotify e, void *f),
      (a, b, c, d, e, f))
DOES (clSetKernelArg, (cl_kernel a, cl_uint b, size_t c, const void *d),
      (a, b, c, d))
DOES (clEnqueueNDRangeKernel,
      (cl_command_queue a, cl_kernel b, cl_uint c, const size_t *d,
       const size_t *e, const size_t *f, cl_uint g, const cl_event *h,
       cl_event *i),
      (a, b, c, d, e, f, g, h, i))
DOES (clEnqueueWriteBuffer,
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e,
       const void *f, cl_uint g, const cl_event *h, cl_event *i),
      (a, b, c, d, e, f, g, h, i))
DOES (clEnqueueReadBuffer,
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f,
       cl_uint g, const cl_event *h, cl_event *i),
      (a, b, c, d, e, f, g, h, i))
DOES (clFinish, (cl_command_queue a), (a))
DOES (clFlush, (cl_command_queue a), (a))

static CL_API_ENTRY cl_int CL_API_CALL
clGetDeviceInfo_layer (cl_device_id device, cl_device_info what, size_t size,
                       void *value, size_t *out_size)
{
  static const cl_device_partition_property none = 0;

  if (what != CL_DEVICE_PARTITION_PROPERTIES
      || getenv ("TEST_OPENCL_WHOLE") == NULL)
    return target->clGetDeviceInfo (device, what, size, value, out_size);
  if (value != NULL && size < sizeof none)
    return CL_INVALID_VALUE;
  if (value != NULL)
    memcpy (value, &none, sizeof none);
  if (out_size != NULL)
    *out_size = sizeof none;
  return CL_SUCCESS;
}

/* Such a driver may have NULL in its table. */
static CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevices_layer (cl_device_id device,
                          const cl_device_partition_property *a, cl_uint b,
                          cl_device_id *c, cl_uint *d)
{
  if (getenv ("TEST_OPENCL_WHOLE") != NULL)
    abort ();
  return target->clCreateSubDevices (device, a, b, c, d);
}

CL_API_ENTRY cl_int CL_API_CALL
clGetLayerInfo (cl_layer_info what, size_t size, void *value, size_t *out_size)
{
  cl_layer_api_version version = CL_LAYER_API_VERSION_100;

  if (what == CL_LAYER_API_VERSION && value != NULL && size >= sizeof version)
    memcpy (value, &version, sizeof version);
  else if (what == CL_LAYER_NAME && value != NULL && size >= sizeof "faults")
    memcpy (value, "faults", sizeof "faults");
  if (out_size != NULL)
    *out_size = what == CL_LAYER_NAME ? sizeof "faults" : sizeof version;
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL
clInitLayer (cl_uint n, const cl_icd_dispatch *its_target, cl_uint *out_n,
             const cl_icd_dispatch **out_layer)
{
  target = its_target;
  memcpy (&layer, its_target,
          n < sizeof layer / sizeof (void *) ? n * sizeof (void *)
                                             : sizeof layer);
#define SET(name) layer.name = name##_layer
  SET (clGetDeviceInfo);
  SET (clCreateSubDevices);
  SET (clCreateContext);
  SET (clCreateCommandQueue);
  SET (clCreateBuffer);
  SET (clCreateSubBuffer);
  SET (clCreateProgramWithSource);
  SET (clCreateKernel);
  SET (clBuildProgram);
  SET (clSetKernelArg);
  SET (clEnqueueNDRangeKernel);
  SET (clEnqueueWriteBuffer);
  SET (clEnqueueReadBuffer);
  SET (clFinish);
  SET (clFlush);
#undef SET
  *out_n = sizeof layer / sizeof (void *);
  *out_layer = &layer;
  return CL_SUCCESS;
}
