/* test-fork.c: what a child forked beside a session may do with it. */
#include "plan-on.h"

#include <glib.h>
#include <string.h>
#include <sys/wait.h>
#include <tplan.h>
#include <unistd.h>

#define N 4096
#define HANGS_S 600           /* a child that takes longer hangs */

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [64, 64]}], \"outputs\": [\"y\"],"
      " \"ops\": [{\"name\": \"mm\", \"type\": \"MatMul\","
      "   \"inputs\": [\"x\", \"x\"], \"outputs\": [\"y\"]}]}";

/* Twice the identity, squared. */
static gboolean
runs_right (TplanSession *session, GError **error)
{
  static float x[N], y[N];
  const void *inputs[] = { x };
  void *outputs[] = { y };

  for (int i = 0; i < N; i++)
    x[i] = i % 65 == 0 ? 2.0f : 0.0f;
  memset (y, 0xff, sizeof y);
  if (!tplan_session_run (session, inputs, outputs, error))
    return FALSE;
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (y[i], ==, 2.0f * x[i]);
  return TRUE;
}

static void
assert_refused (GError *error)
{
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "forked"));
  g_error_free (error);
}

/* In the child: neither the session of the parent nor a new one hangs. */
static void
use_opencl (const TplanPlan *plan, TplanSession *session)
{
  static const TplanSessionOptions options
      = { .n_threads = 1, .falls_back = TRUE };
  g_autoptr (TplanSession) other = NULL;
  GError *error = NULL;

  g_assert_false (runs_right (session, &error));
  assert_refused (g_steal_pointer (&error));
  tplan_session_free (session);
  g_assert_null (tplan_session_new (plan, 1, &error));
  assert_refused (g_steal_pointer (&error));
  other = tplan_session_new_full (plan, &options, &error);
  g_assert_no_error (error);
  g_assert_true (runs_right (other, &error));
  g_assert_no_error (error);
}

static void
use_cpu (const TplanPlan *plan, TplanSession *session)
{
  g_autoptr (TplanSession) other = NULL;

  g_assert_true (runs_right (session, NULL));
  tplan_session_free (session);
  other = tplan_session_new (plan, 2, NULL);
  g_assert_nonnull (other);
  g_assert_true (runs_right (other, NULL));
}

typedef struct
{
  const char *device;
  void (*use) (const TplanPlan *plan, TplanSession *session);
} Case;

static void
test_child (gconstpointer data)
{
  const Case *it = data;
  g_autoptr (TplanPlan) plan = tp_test_plan_on (it->device, model, 2);
  g_autoptr (TplanSession) session = NULL;
  g_autoptr (GError) error = NULL;
  int status = -1;
  pid_t child;

  if (plan == NULL)
    return;
  session = tplan_session_new (plan, 2, &error);
  g_assert_no_error (error);
  g_assert_true (runs_right (session, &error));
  child = fork ();
  if (child == 0)
    {
      alarm (HANGS_S);
      it->use (plan, session);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
  g_assert_true (runs_right (session, &error));
  g_assert_no_error (error);
}

static const Case on_opencl = { "opencl:0", use_opencl };
static const Case on_cpu = { "cpu", use_cpu };

/* ---- in the middle of runs ------------------------------------------------- */

#define N_FORKS 12

typedef struct
{
  TplanSession *session;
  gint is_over, n_runs;       /* atomic */
} Busy;

static gpointer
keep_running (gpointer data)
{
  Busy *busy = data;
  static const float x[N];
  float *y = g_new (float, N);
  const void *inputs[] = { x };
  void *outputs[] = { y };

  while (!g_atomic_int_get (&busy->is_over))
    {
      g_assert_true (
          tplan_session_run (busy->session, inputs, outputs, NULL));
      g_atomic_int_inc (&busy->n_runs);
    }
  g_free (y);
  return NULL;
}

/* Of a child that was forked while other threads run the session. */
static int
fork_beside (const TplanPlan *plan, Busy *busy)
{
  int status = -1, n_runs = g_atomic_int_get (&busy->n_runs);
  pid_t child;

  while (g_atomic_int_get (&busy->n_runs) == n_runs)
    g_thread_yield ();
  child = fork ();
  if (child == 0)
    {
      alarm (HANGS_S);
      use_cpu (plan, busy->session);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return status;
}

static void
test_busy (gconstpointer data)
{
  const int n_in_flight = GPOINTER_TO_INT (data);
  const TplanSessionOptions options
      = { .n_threads = 2, .n_in_flight = n_in_flight };
  g_autoptr (TplanPlan) plan = tp_test_plan_on ("cpu", model, 2);
  g_autoptr (TplanSession) session = NULL;
  Busy busy = { NULL, FALSE, 0 };
  GThread *threads[3];

#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("the sanitizer's allocator does not come through a fork beside "
               "threads: the child waits for a lock that one of them has");
  return;
#endif
  if (plan == NULL)
    return;
  session = busy.session = tplan_session_new_full (plan, &options, NULL);
  g_assert_nonnull (session);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("runs", keep_running, &busy);
  for (int i = 0; i < N_FORKS; i++)
    g_assert_cmpint (fork_beside (plan, &busy), ==, 0);
  g_atomic_int_set (&busy.is_over, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_true (runs_right (session, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/fork/cpu", &on_cpu, test_child);
  g_test_add_data_func ("/fork/opencl", &on_opencl, test_child);
  g_test_add_data_func ("/fork/busy/one", GINT_TO_POINTER (1), test_busy);
  g_test_add_data_func ("/fork/busy/in-flight", GINT_TO_POINTER (2), test_busy);
  return g_test_run ();
}
