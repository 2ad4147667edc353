/* test-fallback.c: sessions that go on when a device of their plan does not,
 * against the shared library alone. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <tplan.h>

#define N 8

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [8]}], \"outputs\": [\"z\"],"
      " \"ops\": ["
      "  {\"name\": \"square\", \"type\": \"Mul\", \"inputs\": [\"x\", \"x\"],"
      "   \"outputs\": [\"y\"]},"
      "  {\"name\": \"minus\", \"type\": \"Neg\", \"inputs\": [\"y\"],"
      "   \"outputs\": [\"z\"]}]}";

/* For a device that no machine has; NULL: nor has this tplan its kind. */
static TplanPlan *
make_plan (void)
{
  static const char *const devices[] = { "opencl:999", NULL };
  g_autofree char *folder = g_dir_make_tmp ("tplan-fallback-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "g.json", NULL);
  g_autofree char *table = g_build_filename (folder, "cost.db", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = NULL;
  g_autoptr (TplanCosts) costs = NULL;
  TplanPlan *plan;

  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  graph = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  costs = tplan_costs_open (table, devices, 1, &error);
  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_remove (path);
  g_remove (table);
  g_rmdir (folder);
  if (plan == NULL)
    g_test_skip (error->message);
  return plan;
}

static void
run_and_compare (TplanSession *session, float shift)
{
  float x[N], z[N];
  const void *inputs[] = { x };
  void *outputs[] = { z };
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < N; i++)
    x[i] = (float) i - shift;
  memset (z, 0xff, sizeof z);
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    g_assert_cmpfloat (z[i], ==, -x[i] * x[i]);
}

static void
test_absent (void)
{
  static const TplanSessionOptions options
      = { .n_threads = 1, .falls_back = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = make_plan ();
  g_autoptr (TplanSession) session = NULL;

  if (plan == NULL)
    return;
  g_assert_null (tplan_session_new (plan, 1, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_clear_error (&error);
  session = tplan_session_new_full (plan, &options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (tplan_session_get_fallback (session), "opencl"));
  run_and_compare (session, 1);
  run_and_compare (session, 2);
}

static void
test_on_host (void)
{
  static const TplanSessionOptions options = { .is_on_host = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = make_plan ();
  g_autoptr (TplanSession) session = NULL;

  if (plan == NULL)
    return;
  session = tplan_session_new_full (plan, &options, &error);
  g_assert_no_error (error);
  g_assert_nonnull (tplan_session_get_fallback (session));
  run_and_compare (session, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fallback/absent", test_absent);
  g_test_add_func ("/fallback/on-host", test_on_host);
  return g_test_run ();
}
