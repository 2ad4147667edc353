/* opencl-layer.c: a layer for the OpenCL loader that does wrong at one call of one
 * function: TEST_OPENCL_FAIL="clCreateBuffer 3 -4" fails the third with -4. Instead
 * of a code there may be "hang", "crash" (abort), "exit" (_exit, with 0), "quit"
 * (exit, with 0), "kill" (SIGKILL), "leave" (a process in a session of its own stays
 * behind, and the call is made), "stay" (the same, and hang), "helped" (hang, and abort
 * when a process that helps is killed, as compilers do), "slow" (the call is
 * made a second later), "late" (3 ms later, and where TEST_OPENCL_FIRST names a file,
 * only in the process that makes it), "then-crash" (abort, but in the process that makes
 * that file), "left-abort" and
 * "left-segv" (a process stays behind that one that crashes), "lie" (nothing is done
 * or made, and success is told), "false" (what is told is all ones) and, of clEnqueueNDRangeKernel,
 * "stall": that kernel never ends. Call 0 is each; up to four may do wrong. With
 * TEST_OPENCL_LIE kernels compute nothing. TEST_OPENCL_CLAIM=
 * "CL_DEVICE_LOCAL_MEM_SIZE 1 CL_DEVICE_TYPE 4" is what is said of each device, and of
 * those called like TEST_OPENCL_GPU that they are GPUs. With TEST_OPENCL_WHOLE devices
 * cannot be parted, and the driver has no such call. With TEST_OPENCL_STRICT=512 parts
 * of buffers begin at multiples of that, and groups are as drivers of GPUs want them. */
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "config.h"

#include "opencl-layer-end.h"

#include <CL/cl_layer.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const cl_icd_dispatch *target;
static cl_icd_dispatch layer;

#define WHAT_SIZE 16
#define MOST_FAULTS 4

static struct
{
  char function[40];
  int call;                   /* 0: each */
  char what[WHAT_SIZE];
  int n_calls;
} faults[MOST_FAULTS];
static int n_faults;

/* Counting starts anew when the variable changes. */
static void
read_faults (void)
{
  static char last[200];
  const char *text = getenv ("TEST_OPENCL_FAIL");
  int n = 0;

  if (text == NULL || strlen (text) >= sizeof last)
    text = "";
  if (strcmp (text, last) == 0)
    return;
  strcpy (last, text);
  for (n_faults = 0; n_faults < MOST_FAULTS; n_faults++, text += n)
    {
      faults[n_faults].n_calls = 0;
      if (sscanf (text, "%39s %d %15s%n", faults[n_faults].function,
                  &faults[n_faults].call, faults[n_faults].what, &n) != 3)
        break;
    }
}

/* Whether this is the call; *@out_what: what to do then. */
static int
count_call (const char *function, char *out_what)
{
  int is_it = 0;

  read_faults ();
  for (int i = 0; i < n_faults; i++)
    if (strcmp (faults[i].function, function) == 0)
      {
        is_it = ++faults[i].n_calls == faults[i].call || faults[i].call == 0;
        strcpy (out_what, faults[i].what);
      }
  return is_it;
}

/* The same from any thread. */
static int
is_the_call (const char *function, char *out_what)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int is_it;

  pthread_mutex_lock (&lock);
  is_it = count_call (function, out_what);
  pthread_mutex_unlock (&lock);
  return is_it;
}

#define LIE 1                 /* no codes of OpenCL */
#define FALSIFY 2

/* The code to fail with, or CL_SUCCESS, LIE or FALSIFY. */
static cl_int
choose (const char *function)
{
  char what[WHAT_SIZE] = "";

  if (!is_the_call (function, what))
    return CL_SUCCESS;
  if (opencl_layer_end (what))
    return CL_SUCCESS;
  if (strcmp (what, "false") == 0)
    return FALSIFY;
  return strcmp (what, "lie") == 0 ? LIE : atoi (what);
}

/* What the caller is told where the call is not made. */
static cl_int
tell (cl_int code)
{
  return code == LIE || code == FALSIFY ? CL_SUCCESS : code;
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
      *out_code = tell (code);                                                \
    return NULL;                                                              \
  }
/* Functions that return an error. */
#define DOES(name, parameters, arguments)                                     \
  static CL_API_ENTRY cl_int CL_API_CALL name##_layer parameters              \
  {                                                                           \
    cl_int code = choose (#name);                                             \
                                                                              \
    return code == CL_SUCCESS ? target->name arguments : tell (code);         \
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
DOES (clSetMemObjectDestructorCallback,
      (cl_mem a, void (CL_CALLBACK *b) (cl_mem, void *), void *c), (a, b, c))

/* No error but NULL. */
static CL_API_ENTRY void *CL_API_CALL
clSVMAlloc_layer (cl_context a, cl_svm_mem_flags b, size_t c, cl_uint d)
{
  return choose ("clSVMAlloc") == CL_SUCCESS ? target->clSVMAlloc (a, b, c, d)
                                             : NULL;
}

/* What GPUs want and PoCL does not ask for. */
static int
is_strict (void)
{
  return getenv ("TEST_OPENCL_STRICT") != NULL;
}

/* @d: a region. NVIDIA's base address is of 512 bytes, PoCL's of 128. */
static cl_mem
create_part (cl_mem a, cl_mem_flags b, cl_buffer_create_type c, const void *d,
             cl_int *out_code)
{
  const cl_buffer_region *region = d;

  if (!is_strict ()
      || region->origin % strtoul (getenv ("TEST_OPENCL_STRICT"), NULL, 10) == 0)
    return target->clCreateSubBuffer (a, b, c, d, out_code);
  *out_code = CL_MISALIGNED_SUB_BUFFER_OFFSET;
  return NULL;
}

static CL_API_ENTRY cl_mem CL_API_CALL
clCreateSubBuffer_layer (cl_mem a, cl_mem_flags b, cl_buffer_create_type c,
                         const void *d, cl_int *out_code)
{
  cl_int code = choose ("clCreateSubBuffer");

  if (code == CL_SUCCESS)
    return create_part (a, b, c, d, out_code);
  *out_code = tell (code);
  return NULL;
}
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

/* It waits for what never comes, and all in the queue with it. */
static cl_int
enqueue_stalled (cl_command_queue queue)
{
  cl_context context = NULL;
  cl_event never;

  target->clGetCommandQueueInfo (queue, CL_QUEUE_CONTEXT, sizeof context,
                                 &context, NULL);
  never = target->clCreateUserEvent (context, NULL);
  return target->clEnqueueBarrierWithWaitList (queue, 1, &never, NULL);
}

static int find_claim (const char *name, unsigned long long *out_number);

/* Whole groups, within what the device claims. */
static cl_int
check_range (cl_uint n, const size_t *global, const size_t *local)
{
  unsigned long long most = 1024;

  find_claim ("CL_DEVICE_MAX_WORK_ITEM_SIZES", &most);
  if (n != 1 || local == NULL || global[0] == 0 || global[0] % local[0] != 0)
    return CL_INVALID_WORK_GROUP_SIZE;
  return local[0] > most ? CL_INVALID_WORK_ITEM_SIZE : CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL
clEnqueueNDRangeKernel_layer (cl_command_queue a, cl_kernel b, cl_uint c,
                              const size_t *d, const size_t *e,
                              const size_t *f, cl_uint g, const cl_event *h,
                              cl_event *i)
{
  char what[WHAT_SIZE] = "";
  const char *text = getenv ("TEST_OPENCL_FAIL");
  cl_int code = CL_SUCCESS;

  if (getenv ("TEST_OPENCL_LIE") != NULL)
    return target->clEnqueueMarkerWithWaitList (a, g, h, i);
  if (text != NULL && strstr (text, "stall") != NULL)
    {
      if (is_the_call ("clEnqueueNDRangeKernel", what))
        code = enqueue_stalled (a);
    }
  else
    code = choose ("clEnqueueNDRangeKernel");
  if (code == CL_SUCCESS && is_strict ())
    code = check_range (c, e, f);
  if (code == LIE || code == FALSIFY)
    return target->clEnqueueMarkerWithWaitList (a, g, h, i);
  return code == CL_SUCCESS
             ? target->clEnqueueNDRangeKernel (a, b, c, d, e, f, g, h, i)
             : code;
}

DOES (clEnqueueWriteBuffer,
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e,
       const void *f, cl_uint g, const cl_event *h, cl_event *i),
      (a, b, c, d, e, f, g, h, i))
DOES (clEnqueueReadBuffer,
      (cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t e, void *f,
       cl_uint g, const cl_event *h, cl_event *i),
      (a, b, c, d, e, f, g, h, i))
DOES (clEnqueueUnmapMemObject,
      (cl_command_queue a, cl_mem b, void *c, cl_uint d, const cl_event *e,
       cl_event *f),
      (a, b, c, d, e, f))
MAKES (void *, clEnqueueMapBuffer,
       (cl_command_queue a, cl_mem b, cl_bool c, cl_map_flags d, size_t e,
        size_t f, cl_uint g, const cl_event *h, cl_event *i, cl_int *out_code),
       (a, b, c, d, e, f, g, h, i, out_code))

typedef void (CL_CALLBACK *EventNotify) (cl_event, cl_int, void *);

DOES (clSetEventCallback, (cl_event a, cl_int b, EventNotify c, void *d),
      (a, b, c, d))
DOES (clFinish, (cl_command_queue a), (a))
DOES (clFlush, (cl_command_queue a), (a))
DOES (clEnqueueMarkerWithWaitList,
      (cl_command_queue a, cl_uint b, const cl_event *c, cl_event *d),
      (a, b, c, d))
DOES (clWaitForEvents, (cl_uint a, const cl_event *b), (a, b))
DOES (clReleaseEvent, (cl_event a), (a))
DOES (clReleaseDevice, (cl_device_id a), (a))
DOES (clReleaseCommandQueue, (cl_command_queue a), (a))
DOES (clReleaseMemObject, (cl_mem a), (a))
DOES (clReleaseProgram, (cl_program a), (a))
DOES (clReleaseKernel, (cl_kernel a), (a))

/* Of what was told, each byte becomes 255; of texts also their ends. */
static cl_int
falsify (cl_int code, size_t size, void *value, size_t *out_size)
{
  if (code == CL_SUCCESS && value != NULL)
    memset (value, 255, size);
  if (code == CL_SUCCESS && out_size != NULL)
    memset (out_size, 255, sizeof *out_size);
  return code;
}

/* Functions that tell something: @c bytes at @d, and at @e how many there are. */
#define TELLS(name, parameters, arguments)                                    \
  static CL_API_ENTRY cl_int CL_API_CALL name##_layer parameters              \
  {                                                                           \
    cl_int code = choose (#name);                                             \
                                                                              \
    if (code == FALSIFY)                                                      \
      return falsify (target->name arguments, c, d, e);                       \
    return code == CL_SUCCESS ? target->name arguments : tell (code);         \
  }

TELLS (clGetPlatformInfo,
       (cl_platform_id a, cl_platform_info b, size_t c, void *d, size_t *e),
       (a, b, c, d, e))
TELLS (clGetEventProfilingInfo,
       (cl_event a, cl_profiling_info b, size_t c, void *d, size_t *e),
       (a, b, c, d, e))
TELLS (clGetProgramBuildInfo,
       (cl_program a, cl_device_id device, cl_program_build_info b, size_t c,
        void *d, size_t *e),
       (a, device, b, c, d, e))

/* Functions that list objects: there are as many as a number can tell. */
#define LISTS(name, parameters, arguments)                                    \
  static CL_API_ENTRY cl_int CL_API_CALL name##_layer parameters              \
  {                                                                           \
    cl_int code = choose (#name), result = tell (code);                       \
                                                                              \
    if (code == CL_SUCCESS || code == FALSIFY)                                \
      result = target->name arguments;                                        \
    if (code == FALSIFY && result == CL_SUCCESS && out_n != NULL)             \
      *out_n = (cl_uint) -1;                                                  \
    return result;                                                            \
  }

LISTS (clGetPlatformIDs, (cl_uint n, cl_platform_id *ids, cl_uint *out_n),
       (n, ids, out_n))
LISTS (clGetDeviceIDs,
       (cl_platform_id a, cl_device_type b, cl_uint n, cl_device_id *ids,
        cl_uint *out_n),
       (a, b, n, ids, out_n))

#define CL_DEVICE_PCI_BUS_INFO 0x410F /* CL_DEVICE_PCI_BUS_INFO_KHR */

static const struct
{
  const char *name;
  cl_device_info what;
  size_t size;
} claims[] = {
#define CLAIM(what, type) { #what, what, sizeof (type) }
  CLAIM (CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint),
  CLAIM (CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong),
  CLAIM (CL_DEVICE_MAX_WORK_GROUP_SIZE, size_t),
  CLAIM (CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, cl_ulong),
  CLAIM (CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, cl_uint),
  CLAIM (CL_DEVICE_TYPE, cl_device_type),
  CLAIM (CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool),
  CLAIM (CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config),
  CLAIM (CL_DEVICE_MAX_WORK_ITEM_SIZES, size_t), /* of the first dimension */
  CLAIM (CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong),
  CLAIM (CL_DEVICE_PCI_BUS_INFO, cl_ulong), /* domain and bus */
#undef CLAIM
};

/* The number that TEST_OPENCL_CLAIM has for @name. */
static int
find_claim (const char *name, unsigned long long *out_number)
{
  const char *text = getenv ("TEST_OPENCL_CLAIM");
  unsigned long long number;
  char claimed[48];
  int n = 0;

  for (; text != NULL && sscanf (text, "%47s %llu%n", claimed, &number, &n) == 2;
       text += n)
    if (strcmp (claimed, name) == 0)
      {
        *out_number = number;
        return 1;
      }
  return 0;
}

/* Whether there is another answer to @what. */
static int
claim (cl_device_info what, size_t size, void *value)
{
  unsigned long long number;

  for (size_t i = 0; value != NULL && i < sizeof claims / sizeof claims[0]; i++)
    if (claims[i].what == what && size >= claims[i].size
        && find_claim (claims[i].name, &number))
      {
        memcpy (value, &number, claims[i].size); /* little-endian */
        return what != CL_DEVICE_MAX_WORK_ITEM_SIZES;
      }
  return 0;
}

static int
is_called_gpu (cl_device_id device, cl_device_info what)
{
  const char *name = getenv ("TEST_OPENCL_GPU");
  char text[256] = "";

  if (name == NULL || what != CL_DEVICE_TYPE)
    return 0;
  target->clGetDeviceInfo (device, CL_DEVICE_NAME, sizeof text - 1, text, NULL);
  return strstr (text, name) != NULL;
}

static cl_int
get_device_info (cl_device_id device, cl_device_info what, size_t size,
                 void *value, size_t *out_size)
{
  static const cl_device_partition_property none = 0;

  static const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
  cl_int code;

  if (claim (what, size, value))
    return CL_SUCCESS;
  if (value != NULL && size >= sizeof gpu && is_called_gpu (device, what))
    {
      memcpy (value, &gpu, sizeof gpu);
      return CL_SUCCESS;
    }
  if (what == CL_DEVICE_MAX_WORK_ITEM_SIZES)
    {
      code = target->clGetDeviceInfo (device, what, size, value, out_size);
      claim (what, size, value);
      return code;
    }
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

static CL_API_ENTRY cl_int CL_API_CALL
clGetDeviceInfo_layer (cl_device_id device, cl_device_info what, size_t size,
                       void *value, size_t *out_size)
{
  cl_int code = choose ("clGetDeviceInfo");

  if (code == FALSIFY)
    return falsify (get_device_info (device, what, size, value, out_size),
                    size, value, out_size);
  return code == CL_SUCCESS
             ? get_device_info (device, what, size, value, out_size)
             : tell (code);
}

/* Such a driver may have NULL in its table. */
static CL_API_ENTRY cl_int CL_API_CALL
clCreateSubDevices_layer (cl_device_id device,
                          const cl_device_partition_property *a, cl_uint b,
                          cl_device_id *c, cl_uint *d)
{
  cl_int code = choose ("clCreateSubDevices");

  if (getenv ("TEST_OPENCL_WHOLE") != NULL)
    abort ();
  if (code == FALSIFY && d != NULL) /* one, which is none */
    *d = 1;
  return code == CL_SUCCESS ? target->clCreateSubDevices (device, a, b, c, d)
                            : tell (code);
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
  SET (clSetMemObjectDestructorCallback);
  SET (clSVMAlloc);
  SET (clEnqueueNDRangeKernel);
  SET (clEnqueueWriteBuffer);
  SET (clEnqueueReadBuffer);
  SET (clEnqueueMapBuffer);
  SET (clEnqueueUnmapMemObject);
  SET (clSetEventCallback);
  SET (clFinish);
  SET (clFlush);
  SET (clEnqueueMarkerWithWaitList);
  SET (clWaitForEvents);
  SET (clReleaseEvent);
  SET (clReleaseDevice);
  SET (clReleaseCommandQueue);
  SET (clReleaseMemObject);
  SET (clReleaseProgram);
  SET (clReleaseKernel);
  SET (clGetPlatformIDs);
  SET (clGetPlatformInfo);
  SET (clGetDeviceIDs);
  SET (clGetProgramBuildInfo);
  SET (clGetEventProfilingInfo);
#undef SET
  *out_n = sizeof layer / sizeof (void *);
  *out_layer = &layer;
  return CL_SUCCESS;
}
