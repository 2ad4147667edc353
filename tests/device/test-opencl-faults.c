/* test-opencl-faults.c: each OpenCL call that can fail fails once: an error with
 * the right code, no leak of what was made before, and the next try succeeds.
 * The loader takes the layer from OPENCL_LAYERS. */
#include "config.h"

#include "nets.h"
#include "runtime/devices.h"

#include <stdio.h>
#include <string.h>

#define MOST_CALLS 60

static const struct
{
  const char *function;
  int code;                   /* of OpenCL */
  int error;                  /* TPLAN_ERROR_... */
} faults[] = {
  { "clCreateContext", -6, TPLAN_ERROR_MEMORY },
  { "clCreateContext", -2, TPLAN_ERROR_DEVICE },
  { "clCreateCommandQueue", -5, TPLAN_ERROR_DEVICE },
  { "clCreateBuffer", -4, TPLAN_ERROR_MEMORY },
  { "clCreateBuffer", -61, TPLAN_ERROR_MEMORY },
  { "clCreateSubBuffer", -13, TPLAN_ERROR_DEVICE },
  { "clCreateProgramWithSource", -6, TPLAN_ERROR_MEMORY },
  { "clBuildProgram", -11, TPLAN_ERROR_DEVICE },
  { "clCreateKernel", -46, TPLAN_ERROR_DEVICE },
  { "clSetKernelArg", -50, TPLAN_ERROR_DEVICE },
  { "clEnqueueNDRangeKernel", -4, TPLAN_ERROR_MEMORY },
  { "clEnqueueNDRangeKernel", -36, TPLAN_ERROR_DEVICE },
  { "clEnqueueWriteBuffer", -4, TPLAN_ERROR_MEMORY },
  { "clEnqueueReadBuffer", -5, TPLAN_ERROR_DEVICE },
  { "clFinish", -5, TPLAN_ERROR_DEVICE },
  { "clFlush", -36, TPLAN_ERROR_DEVICE },
};

static gboolean
make_and_run (TpGraph *graph, NetRun *run, GError **error)
{
  g_autoptr (TpPlan) plan = net_plan (graph, "opencl:0", "0");
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, error);

  return session != NULL
         && tp_session_run (session, (const void *const *) run->inputs,
                            run->outputs, error);
}

/* The calls one after the other, until there is none to fail. */
static void
test_fault (gconstpointer data)
{
  int which = GPOINTER_TO_INT (data);
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  int n_failed = 0;

  for (int call = 1; call <= MOST_CALLS; call++)
    {
      g_autofree char *fault
          = g_strdup_printf ("%s %d %d", faults[which].function, call,
                             faults[which].code);
      g_autoptr (GError) error = NULL;
      gboolean is_good;

      g_setenv ("TEST_OPENCL_FAIL", fault, TRUE);
      net_run_clear_outputs (run);
      is_good = make_and_run (graph, run, &error);
      g_unsetenv ("TEST_OPENCL_FAIL");
      if (is_good)
        break;
      n_failed++;
      g_assert_error (error, TPLAN_ERROR, faults[which].error);
      g_assert_nonnull (strstr (error->message, "opencl:0"));
      g_assert_nonnull (strstr (error->message, "CL_"));
    }
  g_assert_cmpint (n_failed, >, 0);
  g_assert_cmpint (n_failed, <, MOST_CALLS);
  g_assert_cmpfloat (net_run_get_error (run), <=, 1e-5);
}

/* Contexts are made once in a process: each such fault has one of its own. */
static void
test_context_fault (gconstpointer data)
{
  if (g_test_subprocess ())
    {
      test_fault (data);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

/* A driver that cannot part a device is not asked to. */
static void
test_whole (void)
{
  const TpDeviceOptions one = { .n_threads = 1 };
  g_autoptr (TpDevice) device = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  g_setenv ("TEST_OPENCL_WHOLE", "1", TRUE);
  device = tp_device_open ("opencl:0", &one, &error);
  g_assert_no_error (error);
}

/* NULL: faults will happen; else why not. Makes no context. */
static char *
find_obstacle (void)
{
  g_autofree char *reason = NULL;
  g_autoptr (TpDevice) device = NULL;

  g_setenv ("TEST_OPENCL_FAIL", "clCreateContext 1 -30", TRUE);
  device = net_try_device ("opencl:0", &reason);
  g_unsetenv ("TEST_OPENCL_FAIL");
  if (device != NULL)
    return g_strdup ("the OpenCL loader takes no layers");
  return strstr (reason, "CL_") != NULL ? NULL : g_steal_pointer (&reason);
}

int
main (int argc, char **argv)
{
  g_autofree char *layer = NULL, *obstacle = NULL;

  g_test_init (&argc, &argv, NULL);
  layer = g_test_build_filename (G_TEST_BUILT, ".libs", "opencl-layer.so",
                                 NULL);
  g_setenv ("OPENCL_LAYERS", layer, TRUE);
  obstacle = find_obstacle ();
  if (obstacle != NULL)
    {
      printf ("1..0 # SKIP %s\n", obstacle);
      return 0;
    }
  g_test_add_func ("/opencl-faults/whole", test_whole);
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strdup_printf ("/opencl-faults/%s%d",
                                               faults[i].function,
                                               faults[i].code);

      g_test_add_data_func (path, GINT_TO_POINTER (i),
                            strcmp (faults[i].function, "clCreateContext") == 0
                                ? test_context_fault
                                : test_fault);
    }
  return g_test_run ();
}
