/* test-opencl-matrix.c: any function of OpenCL fails at any of its calls with any
 * code, or tells of success and does nothing: the result is right, or there is an
 * error that names the device; where nothing was done, it may be wrong, and what
 * looks at it sees that. `make check` draws some; all with TPLAN_TEST_FULL. */
#include "config.h"

#include "nets.h"
#include "opencl-layered.h"
#include "runtime/session-progress.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

#define N_CALLS 5
#define CODE_LEAST (-70)
#define N_DRAWN 120

static const char *const functions[] = {
  "clCreateCommandQueue",   "clCreateBuffer",
  "clCreateProgramWithSource", "clBuildProgram",    "clCreateKernel",
  "clSetKernelArg",         "clEnqueueNDRangeKernel", "clEnqueueWriteBuffer",
  "clEnqueueReadBuffer",    "clFinish",             "clFlush",
  "clEnqueueMapBuffer",     "clEnqueueUnmapMemObject", "clSetEventCallback",
  "clGetDeviceInfo",        "clReleaseEvent",       "clReleaseCommandQueue",
  "clReleaseMemObject",     "clReleaseProgram",     "clReleaseKernel",
};

/* What a callback that is never called would free: a leak, which is the driver's. */
#ifdef __SANITIZE_ADDRESS__
#define LOSES(function, what) \
  (strcmp (function, "clSetEventCallback") == 0 && strcmp (what, "lie") == 0)
#else
#define LOSES(function, what) FALSE
#endif

/* What maps memory instead of copying it. */
#define CLAIMS "CL_DEVICE_TYPE 4 CL_DEVICE_HOST_UNIFIED_MEMORY 1"

typedef struct
{
  TpGraph *graph;
  NetRun *run;
  gboolean is_followed;       /* the run tells how far it is */
  int n_right, n_errors, n_seen;
} Matrix;

/* ---- where a driver ends the program -------------------------------------- */

static char trying[80];       /* the fault */

static void
write_text (const char *text)
{
  ssize_t n = write (STDERR_FILENO, text, strlen (text));

  (void) n;
}

/* Which fault it was, and who was called: some drivers do not say a word. */
static void
tell_where (int number)
{
  write_text ("ended while this failed: ");
  write_text (trying);
  write_text ("\n");
#if __has_include(<execinfo.h>)
  {
    void *callers[64];

    backtrace_symbols_fd (callers, backtrace (callers, 64), STDERR_FILENO);
  }
#endif
  signal (number, SIG_DFL);
  raise (number);
}

/* ---- faults --------------------------------------------------------------- */

static gboolean
make_and_run (const Matrix *matrix, GError **error)
{
  g_autoptr (TpPlan) plan = net_plan (matrix->graph, "opencl:0", "0");
  g_autoptr (TpSession) session
      = tp_session_new (matrix->graph, plan, NULL, error);

  if (session == NULL)
    return FALSE;
  if (matrix->is_followed)
    tp_session_follow (session);
  return tp_session_run (session, (const void *const *) matrix->run->inputs,
                         matrix->run->outputs, error);
}

/* @what: a code, or "lie". */
static void
try_fault (Matrix *matrix, const char *function, int call, const char *what)
{
  g_autofree char *fault = g_strdup_printf ("%s %d %s", function, call, what);
  g_autoptr (GError) error = NULL;

  if (LOSES (function, what))
    return;
  g_strlcpy (trying, fault, sizeof trying);
  g_setenv ("TEST_OPENCL_FAIL", fault, TRUE);
  if (strstr (function, "map") != NULL || strstr (function, "Map") != NULL)
    g_setenv ("TEST_OPENCL_CLAIM", CLAIMS, TRUE);
  matrix->is_followed = strcmp (function, "clSetEventCallback") == 0
                        || strcmp (function, "clReleaseEvent") == 0;
  net_run_clear_outputs (matrix->run);
  if (!make_and_run (matrix, &error))
    {
      matrix->n_errors++;
      if (error->domain != TPLAN_ERROR
          || strstr (error->message, "opencl:0") == NULL
          || strstr (error->message, "CL_") == NULL)
        if (strstr (error->message, "unknown error") == NULL)
          g_error ("%s: unclear: %s", fault, error->message);
    }
  else if (net_run_get_error (matrix->run) <= 1e-5)
    matrix->n_right++;
  else if (strcmp (what, "lie") == 0)
    matrix->n_seen++;
  else
    g_error ("%s: a wrong result", fault);
  g_unsetenv ("TEST_OPENCL_FAIL");
  g_unsetenv ("TEST_OPENCL_CLAIM");
}

static void
try_number (Matrix *matrix, int number)
{
  int n_functions = (int) G_N_ELEMENTS (functions);
  int code = CODE_LEAST + number / n_functions / N_CALLS;
  g_autofree char *what
      = code == 0 ? g_strdup ("lie") : g_strdup_printf ("%d", code);

  try_fault (matrix, functions[number % n_functions],
             1 + number / n_functions % N_CALLS, what);
}

static void
test_matrix (void)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  Matrix matrix = { .graph = graph, .run = run };
  int n_faults = (int) G_N_ELEMENTS (functions) * N_CALLS;
  int n = n_faults * (1 - CODE_LEAST);
  gboolean is_full = g_getenv ("TPLAN_TEST_FULL") != NULL;

  for (int i = 0; i < (is_full ? n : N_DRAWN); i++)
    try_number (&matrix, is_full ? i : g_test_rand_int_range (0, n));
  for (int i = n - n_faults; i < n; i++) /* all that tell of success */
    try_number (&matrix, i);
  g_test_message ("%d right, %d errors, %d wrong where nothing was done",
                  matrix.n_right, matrix.n_errors, matrix.n_seen);
  g_assert_cmpint (matrix.n_right, >, 0);
  g_assert_cmpint (matrix.n_errors, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!opencl_layered_begin ())
    return 0;
  signal (SIGABRT, tell_where);
  g_test_add_func ("/opencl-matrix/all", test_matrix);
  return g_test_run ();
}
