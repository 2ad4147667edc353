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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/fork/cpu", &on_cpu, test_child);
  g_test_add_data_func ("/fork/opencl", &on_opencl, test_child);
  return g_test_run ();
}
