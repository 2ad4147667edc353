/* test-signals.c: what signals do is the program's business, also when drivers
 * think otherwise. */
#include "plan-on.h"

#include <glib.h>
#include <signal.h>
#include <tplan.h>

#define N 4096

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [64, 64]}], \"outputs\": [\"y\"],"
      " \"ops\": [{\"name\": \"mm\", \"type\": \"MatMul\","
      "   \"inputs\": [\"x\", \"x\"], \"outputs\": [\"y\"]}]}";

static void
run_once (const TplanPlan *plan)
{
  static float x[N], y[N];
  const void *inputs[] = { x };
  void *outputs[] = { y };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanSession) session = tplan_session_new (plan, 2, &error);

  g_assert_no_error (error);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
}

static void
test_kept (void)
{
  struct sigaction before[NSIG], after;
  gboolean is_known[NSIG] = { FALSE };
  g_autoptr (TplanPlan) plan = NULL;

  for (int i = 1; i < NSIG; i++)
    is_known[i] = sigaction (i, NULL, &before[i]) == 0;
  plan = tp_test_plan_on ("opencl:0", model, 2);
  if (plan == NULL)
    return;
  run_once (plan);
  for (int i = 1; i < NSIG; i++)
    if (is_known[i])
      {
        g_assert_cmpint (sigaction (i, NULL, &after), ==, 0);
        g_assert_true (after.sa_handler == before[i].sa_handler);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/signals/kept", test_kept);
  return g_test_run ();
}
