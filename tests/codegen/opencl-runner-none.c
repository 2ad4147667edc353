/* opencl-runner-none.c: built without OpenCL. */
#include "config.h"

#include "opencl-runner.h"

OpenclRunner *
opencl_runner_new (const TpKernel *const *kernels, int n_kernels,
                   char **out_reason)
{
  *out_reason = g_strdup ("built without OpenCL");
  return NULL;
}

void
opencl_runner_free (OpenclRunner *runner)
{
}

void
opencl_runner_run (OpenclRunner *runner, int kernel, gint64 iteration,
                   void *const *buffers)
{
}
