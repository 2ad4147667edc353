/* fake-driver.c: an OpenCL driver with one device and no good in it: what it does
 * when it is first met says TEST_DRIVER, such as "hang platforms" or "exit
 * devices": "hang", "exit", "crash", "leave" (processes behind, and go on), "stay"
 * (the same, and hang), "write" (into every file there is), "close" (them), "parent"
 * and "group" (kill these). At best it has no memory for a context. */
#define CL_TARGET_OPENCL_VERSION 120
#include "config.h"

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct _cl_platform_id
{
  cl_icd_dispatch *dispatch;
};

struct _cl_device_id
{
  cl_icd_dispatch *dispatch;
};

static cl_icd_dispatch dispatch;
static struct _cl_platform_id platform = { &dispatch };
static struct _cl_device_id device = { &dispatch };

/* A process in a session of its own, and one in its own group. */
static void
leave_processes (void)
{
  for (int i = 0; i < 2; i++)
    if (fork () == 0)
      {
        if (i == 0)
          setsid ();
        while (1)
          pause ();
      }
}

/* Into, or of, every file there is. */
static void
write_everywhere (int closes)
{
  for (int fd = 3; fd < 1024; fd++)
    if (closes)
      close (fd);
    else if (write (fd, "not yours", 9) < 0)
      continue;
}

/* @where: "load", "platforms", "devices", "context". */
static void
misbehave (const char *where)
{
  const char *text = getenv ("TEST_DRIVER");
  char what[16] = "", when[16] = "";

  if (text == NULL || sscanf (text, "%15s %15s", what, when) != 2
      || strcmp (when, where) != 0)
    return;
  if (strcmp (what, "leave") == 0 || strcmp (what, "stay") == 0)
    leave_processes ();
  if (strcmp (what, "write") == 0 || strcmp (what, "close") == 0)
    write_everywhere (strcmp (what, "close") == 0);
  if (strcmp (what, "parent") == 0)
    kill (getppid (), SIGKILL);
  if (strcmp (what, "group") == 0)
    kill (0, SIGKILL);
  if (strcmp (what, "hang") == 0 || strcmp (what, "stay") == 0)
    while (1)
      pause ();
  if (strcmp (what, "exit") == 0)
    exit (0);
  if (strcmp (what, "crash") == 0)
    abort ();
}

__attribute__ ((constructor)) static void
load (void)
{
  misbehave ("load");
}

static cl_int
tell (const void *answer, size_t answer_size, size_t size, void *value,
      size_t *out_size)
{
  if (value != NULL && size < answer_size)
    return CL_INVALID_VALUE;
  if (value != NULL)
    memcpy (value, answer, answer_size);
  if (out_size != NULL)
    *out_size = answer_size;
  return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL
get_platform_info (cl_platform_id a, cl_platform_info what, size_t size,
                   void *value, size_t *out_size)
{
  const char *text = what == CL_PLATFORM_EXTENSIONS      ? "cl_khr_icd"
                     : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "FAKE"
                     : what == CL_PLATFORM_VERSION        ? "OpenCL 1.2 fake"
                                                          : "fake";

  (void) a;
  return tell (text, strlen (text) + 1, size, value, out_size);
}

static CL_API_ENTRY cl_int CL_API_CALL
get_platforms (cl_uint n, cl_platform_id *platforms, cl_uint *out_n)
{
  misbehave ("platforms");
  if (platforms != NULL && n > 0)
    platforms[0] = &platform;
  if (out_n != NULL)
    *out_n = 1;
  return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL
get_devices (cl_platform_id a, cl_device_type type, cl_uint n,
             cl_device_id *devices, cl_uint *out_n)
{
  (void) a;
  (void) type;
  misbehave ("devices");
  if (devices != NULL && n > 0)
    devices[0] = &device;
  if (out_n != NULL)
    *out_n = 1;
  return CL_SUCCESS;
}

static CL_API_ENTRY cl_int CL_API_CALL
get_device_info (cl_device_id a, cl_device_info what, size_t size, void *value,
                 size_t *out_size)
{
  const cl_device_type type = CL_DEVICE_TYPE_GPU;
  const cl_ulong one = 1;
  cl_platform_id its_platform = &platform;

  (void) a;
  if (what == CL_DEVICE_TYPE)
    return tell (&type, sizeof type, size, value, out_size);
  if (what == CL_DEVICE_PLATFORM)
    return tell (&its_platform, sizeof its_platform, size, value, out_size);
  if (what == CL_DEVICE_NAME || what == CL_DEVICE_VENDOR
      || what == CL_DEVICE_VERSION || what == CL_DRIVER_VERSION)
    return tell ("fake", sizeof "fake", size, value, out_size);
  return tell (&one, sizeof one, size, value, out_size);
}

static CL_API_ENTRY cl_context CL_API_CALL
clCreateContext_fake (const cl_context_properties *a, cl_uint b,
                const cl_device_id *c,
                void (CL_CALLBACK *d) (const char *, const void *, size_t,
                                       void *),
                void *e, cl_int *out_code)
{
  (void) a, (void) b, (void) c, (void) d, (void) e;
  misbehave ("context");
  if (out_code != NULL)
    *out_code = CL_OUT_OF_HOST_MEMORY;
  return NULL;
}

CL_API_ENTRY void *CL_API_CALL
clGetExtensionFunctionAddress (const char *name)
{
  dispatch.clGetPlatformInfo = get_platform_info;
  dispatch.clGetDeviceIDs = get_devices;
  dispatch.clGetDeviceInfo = get_device_info;
  dispatch.clCreateContext = clCreateContext_fake;
  if (strcmp (name, "clIcdGetPlatformIDsKHR") == 0)
    return (void *) get_platforms;
  if (strcmp (name, "clGetPlatformInfo") == 0)
    return (void *) get_platform_info;
  return NULL;
}
