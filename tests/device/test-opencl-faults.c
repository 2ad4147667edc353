/* test-opencl-faults.c: each OpenCL call that can fail fails once: an error with
 * the right code, no leak of what was made before, and the next try succeeds.
 * The loader takes the layer from OPENCL_LAYERS. */
#include "config.h"

#include "nets.h"
#include "opencl-layered.h"
#include "runtime/devices.h"

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
  { "clEnqueueMarkerWithWaitList", -5, TPLAN_ERROR_DEVICE },
  { "clWaitForEvents", -14, TPLAN_ERROR_DEVICE },
  { "clSVMAlloc", -4, TPLAN_ERROR_MEMORY },
  { "clSetMemObjectDestructorCallback", -6, TPLAN_ERROR_MEMORY },
};

/* Made for memory shared with the host, in sessions of several slots alone. */
static gboolean
is_of_shared (const char *function)
{
  return g_str_equal (function, "clSVMAlloc")
         || g_str_equal (function, "clSetMemObjectDestructorCallback");
}

/* Called where there are fewer threads than processors, and one run at a time. */
static gboolean
is_of_awake (const char *function)
{
  return g_str_equal (function, "clEnqueueMarkerWithWaitList")
         || g_str_equal (function, "clWaitForEvents");
}

/* Memory that is shared takes no such calls. */
static gboolean
is_copy (const char *call)
{
  return g_str_has_prefix (call, "clEnqueueWriteBuffer")
         || g_str_has_prefix (call, "clEnqueueReadBuffer");
}

/* Added to the number of a fault. */
#define IN_FLIGHT 1000
#define ONE_THREAD 2000

static gboolean
make_and_run (TpGraph *graph, NetRun *run, int kind, GError **error)
{
  const TpDeviceOptions options = { .n_threads = kind == ONE_THREAD };
  int n_slots = kind == IN_FLIGHT ? 2 : 1;
  g_autoptr (TpPlan) plan = net_plan (graph, "opencl:0", "0");
  g_autoptr (TpSession) session
      = tp_session_new_in_flight (graph, plan, n_slots, &options, error);

  return session != NULL
         && tp_session_run_in_slot (session, n_slots - 1,
                                    (const void *const *) run->inputs,
                                    run->outputs, error);
}

/* The calls one after the other, until there is none to fail. */
static void
test_fault (gconstpointer data)
{
  int which = GPOINTER_TO_INT (data) % IN_FLIGHT;
  int kind = GPOINTER_TO_INT (data) - which;
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  int n_failed = 0;

  if (is_copy (faults[which].function))
    g_setenv ("TPLAN_OPENCL_SHARE", "no", TRUE);
  for (int call = 1; call <= MOST_CALLS; call++)
    {
      g_autofree char *fault
          = g_strdup_printf ("%s %d %d", faults[which].function, call,
                             faults[which].code);
      g_autoptr (GError) error = NULL;
      gboolean is_good;

      g_setenv ("TEST_OPENCL_FAIL", fault, TRUE);
      net_run_clear_outputs (run);
      is_good = make_and_run (graph, run, kind, &error);
      g_unsetenv ("TEST_OPENCL_FAIL");
      if (is_good)
        break;
      n_failed++;
      g_assert_error (error, TPLAN_ERROR, faults[which].error);
      g_assert_nonnull (strstr (error->message, "opencl:0"));
      g_assert_nonnull (strstr (error->message, "CL_"));
    }
  g_unsetenv ("TPLAN_OPENCL_SHARE");
  if (n_failed == 0 && is_of_shared (faults[which].function))
    g_test_skip ("the device shares no memory");
  else if (n_failed == 0 && is_of_awake (faults[which].function))
    g_test_skip ("there is but one processor");
  else
    g_assert_cmpint (n_failed, >, 0);
  g_assert_cmpint (n_failed, <, MOST_CALLS);
  g_assert_cmpfloat (net_run_get_error (run), <=, 1e-5);
}

typedef struct
{
  TpSession *session;
  NetRun *run;
  int slot;
  int n_failed;
} Runner;

static gpointer
run_often (gpointer data)
{
  Runner *runner = data;

  for (int i = 0; i < 10; i++)
    {
      g_autoptr (GError) error = NULL;

      net_run_clear_outputs (runner->run);
      if (tp_session_run_in_slot (runner->session, runner->slot,
                                  (const void *const *) runner->run->inputs,
                                  runner->run->outputs, &error))
        g_assert_cmpfloat (net_run_get_error (runner->run), <=, 1e-5);
      else
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
          runner->n_failed++;
        }
    }
  return NULL;
}

/* One run fails; those beside it and after it are right, and none waits for it. */
static void
test_beside (gconstpointer fault)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, "opencl:0", "0");
  g_autoptr (TpSession) session = NULL;
  Runner runners[3];
  GThread *threads[3];
  int n_failed = 0;

  if (is_copy (fault))
    g_setenv ("TPLAN_OPENCL_SHARE", "no", TRUE);
  session = tp_session_new_in_flight (graph, plan, 3, NULL, &error);
  g_unsetenv ("TPLAN_OPENCL_SHARE");
  g_assert_no_error (error);
  g_setenv ("TEST_OPENCL_FAIL", fault, TRUE);
  for (int i = 0; i < 3; i++)
    {
      runners[i] = (Runner){ session, net_run_new (graph, TP_DOMAIN_ANY), i,
                             0 };
      threads[i] = g_thread_new ("runner", run_often, &runners[i]);
    }
  for (int i = 0; i < 3; i++)
    {
      g_thread_join (threads[i]);
      n_failed += runners[i].n_failed;
      net_run_free (runners[i].run);
    }
  g_unsetenv ("TEST_OPENCL_FAIL");
  g_assert_cmpint (n_failed, ==, 1);
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

static void
add_beside (void)
{
  static const char *const calls[]
      = { "clEnqueueNDRangeKernel 5 -36", "clEnqueueWriteBuffer 5 -5",
          "clEnqueueReadBuffer 5 -5" };

  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autofree char *path
          = g_strconcat ("/opencl-faults/beside/", calls[i], NULL);

      g_test_add_data_func (path, calls[i], test_beside);
    }
}

static void
add_kinds (const char *path, gsize which)
{
  g_autofree char *flight = g_strconcat (path, "/in-flight", NULL);
  g_autofree char *alone = g_strconcat (path, "/one-thread", NULL);

  if (!is_of_awake (faults[which].function))
    g_test_add_data_func (flight, GINT_TO_POINTER (IN_FLIGHT + which),
                          test_fault);
  if (!is_of_shared (faults[which].function))
    g_test_add_data_func (alone, GINT_TO_POINTER (ONE_THREAD + which),
                          test_fault);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!opencl_layered_begin ())
    return 0;
  g_test_add_func ("/opencl-faults/whole", test_whole);
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strdup_printf ("/opencl-faults/%s%d",
                                               faults[i].function,
                                               faults[i].code);

      if (!is_of_shared (faults[i].function)
          && !is_of_awake (faults[i].function))
        g_test_add_data_func (
            path, GINT_TO_POINTER (i),
            strcmp (faults[i].function, "clCreateContext") == 0
                ? test_context_fault
                : test_fault);
      if (strcmp (faults[i].function, "clCreateContext") != 0)
        add_kinds (path, i);
    }
  add_beside ();
  return g_test_run ();
}
