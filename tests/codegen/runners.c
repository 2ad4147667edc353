/* runners.c: one kernel, run by each of those who can. */
#include "config.h"

#include "runners.h"

#include "kernel/jit.h"
#include "kernel/kernel-interpret.h"
#include "opencl-runner.h"

gboolean
run_kernel_interpreter (const TpKernel *kernel, void *const *buffers,
                        const char **out_reason)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tp_kernel_interpret (kernel, buffers, 0, &error));
  g_assert_no_error (error);
  return TRUE;
}

gboolean
run_kernel_opencl (const TpKernel *kernel, void *const *buffers,
                   const char **out_reason)
{
  g_autofree char *reason = NULL;
  OpenclRunner *runner = opencl_runner_new (&kernel, 1, &reason);

  *out_reason = "no OpenCL";
  if (runner == NULL)
    return FALSE;
  opencl_runner_run (runner, 0, 0, buffers);
  opencl_runner_free (runner);
  return TRUE;
}

static int
take_once (gpointer data)
{
  GBytes **object = data;

  return *object == NULL ? 0 : -1;
}

static void
keep (gpointer data, int kernel, const TpObject *object)
{
  GBytes **bytes = data;

  *bytes = g_bytes_new (object->bytes, object->size);
}

gboolean
run_kernel_jit (const TpKernel *kernel, void *const *buffers,
                const char *without, const char **out_reason)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpJit) jit = NULL;
  const TpJitWork work = { take_once, keep, &bytes, without };
  TpObject object;

  *out_reason = "no LLVM";
  if (!tp_jit_compile (&kernel, &work, &error) && tp_jit_get_identity () == NULL)
    return FALSE;
  g_assert_no_error (error);
  object.bytes = g_bytes_get_data (bytes, &object.size);
  jit = tp_object_link (&object, 1, &error);
  g_assert_no_error (error);
  for (gint64 group = 0; group < kernel->n_groups; group++)
    tp_jit_get (jit, 0) (buffers, group, NULL, 0);
  return TRUE;
}
