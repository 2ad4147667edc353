/* opencl-runner.c: a program and buffers that live for one run, in a context that
 * lives as long as the test: a driver reads its library anew for each. */
#include "config.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "kernel/kernel-opencl-preamble.h"
#include "kernel/kernel-opencl.h"
#include "kernel/kernel-ops.h"
#include "opencl-runner.h"

#define MAX_BUFFERS 32

struct OpenclRunner
{
  const TpKernel *const *kernels;
  cl_program program;
};

static cl_context context;    /* NULL: not yet */
static cl_command_queue queue;
static cl_device_id device;

static cl_device_id
find_device (void)
{
  cl_platform_id platforms[8];
  cl_uint n_platforms = 0, n_devices = 0;
  cl_device_id found;

  if (clGetPlatformIDs (8, platforms, &n_platforms) != CL_SUCCESS)
    return NULL;
  for (cl_uint i = 0; i < MIN (n_platforms, 8); i++)
    if (clGetDeviceIDs (platforms[i], CL_DEVICE_TYPE_ALL, 1, &found,
                        &n_devices)
            == CL_SUCCESS
        && n_devices > 0)
      return found;
  return NULL;
}

static gboolean
open_device (void)
{
  cl_int status;

  if (context != NULL)
    return TRUE;
  device = find_device ();
  if (device == NULL)
    return FALSE;
  context = clCreateContext (NULL, 1, &device, NULL, NULL, &status);
  g_assert_cmpint (status, ==, CL_SUCCESS);
  queue = clCreateCommandQueue (context, device, 0, &status);
  g_assert_cmpint (status, ==, CL_SUCCESS);
  return TRUE;
}

/* NVIDIA's from compute capability 8.0 on are to run the instruction itself. */
static const char *
get_options (void)
{
  char extensions[65536] = "";
  cl_uint major = 0;

  clGetDeviceInfo (device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions,
                   NULL);
  if (strstr (extensions, "cl_nv_device_attribute_query") != NULL)
    clGetDeviceInfo (device, 0x4000, sizeof major, &major, NULL);
  return major < 8 ? "-cl-std=CL1.2 -Werror -cl-fp32-correctly-rounded-divide-sqrt"
                   : "-cl-std=CL1.2 -Werror -cl-fp32-correctly-rounded-divide-sqrt "
                     "-DTP_MMA";
}

static void
build (OpenclRunner *runner, int n_kernels)
{
  g_autoptr (GString) text = g_string_new (tp_opencl_preamble ());
  const char *source;
  char log[4096] = "";
  cl_int status;

  for (int i = 0; i < n_kernels; i++)
    {
      g_autofree char *kernel = tp_kernel_to_opencl (runner->kernels[i]);

      g_string_append (text, kernel);
    }
  source = text->str;
  runner->program
      = clCreateProgramWithSource (context, 1, &source, NULL, &status);
  g_assert_cmpint (status, ==, CL_SUCCESS);
  status = clBuildProgram (runner->program, 1, &device, get_options (), NULL,
                           NULL);
  if (status != CL_SUCCESS)
    {
      clGetProgramBuildInfo (runner->program, device,
                             CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
      g_test_message ("%s", source);
      g_error ("clBuildProgram: %d: %s", status, log);
    }
}

OpenclRunner *
opencl_runner_new (const TpKernel *const *kernels, int n_kernels,
                   char **out_reason)
{
  OpenclRunner *runner;

  if (!open_device ())
    {
      *out_reason = g_strdup ("no OpenCL device");
      return NULL;
    }
  runner = g_new0 (OpenclRunner, 1);
  runner->kernels = kernels;
  build (runner, n_kernels);
  return runner;
}

void
opencl_runner_free (OpenclRunner *runner)
{
  clReleaseProgram (runner->program);
  g_free (runner);
}

void
opencl_runner_run (OpenclRunner *runner, int i, gint64 iteration,
                   void *const *buffers)
{
  const TpKernel *kernel = runner->kernels[i];
  cl_long argument = iteration, offset = 0;
  int n_args = 0;
  size_t local = kernel->local_size, global = local * kernel->n_groups;
  cl_mem memory[MAX_BUFFERS] = { NULL };
  cl_kernel function;
  cl_int status;

  function = clCreateKernel (runner->program, kernel->name, &status);
  g_assert_cmpint (status, ==, CL_SUCCESS);
  for (int j = 0; j < kernel->n_buffers && buffers[j] != NULL; j++)
    {
      memory[j] = clCreateBuffer (
          context, CL_MEM_COPY_HOST_PTR,
          tp_kernel_buffer_get_bytes (&kernel->buffers[j]), buffers[j], &status);
      g_assert_cmpint (status, ==, CL_SUCCESS);
      clSetKernelArg (function, n_args++, sizeof (cl_mem), &memory[j]);
      clSetKernelArg (function, n_args++, sizeof offset, &offset);
    }
  if (tp_kernel_uses_iteration (kernel))
    clSetKernelArg (function, n_args, sizeof argument, &argument);
  status = clEnqueueNDRangeKernel (queue, function, 1, NULL, &global,
                                   &local, 0, NULL, NULL);
  g_assert_cmpint (status, ==, CL_SUCCESS);
  for (int j = 0; memory[j] != NULL; j++)
    {
      status =
          clEnqueueReadBuffer (queue, memory[j], CL_TRUE, 0,
                               tp_kernel_buffer_get_bytes (&kernel->buffers[j]),
                               buffers[j], 0, NULL, NULL);
      g_assert_cmpint (status, ==, CL_SUCCESS);
      clReleaseMemObject (memory[j]);
    }
  clReleaseKernel (function);
}
