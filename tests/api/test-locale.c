/* test-locale.c: in a program that writes numbers with a comma, all is as without:
 * plans byte for byte, and what was measured is found again. */
#include <glib.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>
#include <tplan.h>

#define COMMA "de_DE.UTF-8"

static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"small\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","
      "               \"shape\": [64, 64]}], \"outputs\": [\"z\"],"
      " \"ops\": [{\"name\": \"mm\", \"type\": \"MatMul\","
      "   \"inputs\": [\"x\", \"x\"], \"outputs\": [\"y\"]},"
      "  {\"name\": \"leak\", \"type\": \"LeakyRelu\", \"inputs\": [\"y\"],"
      "   \"outputs\": [\"z\"], \"attrs\": {\"alpha\": 0.375}}]}";

/* No kernel is made of integers times a fraction: what is measured is named by the
 * op and its attributes. */
static const char unlowered[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"gemm\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"dtype\": \"int32\","
      "               \"shape\": [8, 8]}], \"outputs\": [\"y\"],"
      " \"ops\": [{\"name\": \"mm\", \"type\": \"Gemm\","
      "   \"inputs\": [\"x\", \"x\"], \"outputs\": [\"y\"],"
      "   \"attrs\": {\"alpha\": 0.375}}]}";

static char *folder;

static void
call (const char *const *argv)
{
  g_spawn_sync (NULL, (char **) argv, NULL,
                G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL
                    | G_SPAWN_STDERR_TO_DEV_NULL,
                NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Of what the system has; else tests are skipped. */
static void
make_locale (void)
{
  g_autofree char *place = g_build_filename (folder, COMMA, NULL);
  const char *const argv[] = { "localedef", "-i", "de_DE", "-f", "UTF-8",
                               "--no-archive", place, NULL };

  call (argv);
  g_setenv ("LOCPATH", folder, TRUE);
}

static void
remove_folder (void)
{
  const char *const argv[] = { "rm", "-rf", folder, NULL };

  call (argv);
  g_free (folder);
}

static TplanGraph *
load (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  TplanGraph *graph = tplan_graph_new_from_bytes (bytes, NULL, NULL);

  g_assert_nonnull (graph);
  return graph;
}

static GBytes *
plan_in (const char *locale, const char *text, const char *const *devices,
         const char *table)
{
  g_autoptr (TplanGraph) graph = load (text);
  g_autoptr (TplanCosts) costs = NULL;
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  GBytes *bytes;

  g_assert_nonnull (setlocale (LC_ALL, locale));
  costs = tplan_costs_open (table, devices, 1, &error);
  g_assert_no_error (error);
  plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_assert_no_error (error);
  bytes = tplan_plan_to_bytes (plan, &error);
  g_assert_no_error (error);
  return bytes;
}

static void
assert_same_plans (const char *text, const char *const *devices,
                   const char *table)
{
  g_autoptr (GBytes) without = plan_in ("C", text, devices, table);
  g_autoptr (GBytes) with = plan_in (COMMA, text, devices, table);

  g_assert_cmpmem (g_bytes_get_data (with, NULL), g_bytes_get_size (with),
                   g_bytes_get_data (without, NULL),
                   g_bytes_get_size (without));
}

static gboolean
begin (void)
{
  if (setlocale (LC_ALL, COMMA) != NULL)
    return TRUE;
  g_test_skip ("no locale that writes numbers with a comma");
  return FALSE;
}

static void
test_simulated (void)
{
  const char *const devices[] = { "sim:desktop-cpu", "sim:laptop-gpu", NULL };
  g_autofree char *table = g_build_filename (folder, "none.db", NULL);

  if (begin ())
    assert_same_plans (model, devices, table);
}

static void
test_measured (void)
{
  const char *const devices[] = { "ref", NULL };
  g_autofree char *table = g_build_filename (folder, "cost.db", NULL);
  g_autoptr (TplanGraph) graph = load (unlowered);
  g_autoptr (TplanCosts) costs = NULL;
  g_autoptr (GError) error = NULL;

  if (!begin ())
    return;
  costs = tplan_costs_open (table, devices, 1, &error);
  g_assert_no_error (error);
  g_assert_true (tplan_costs_calibrate (costs, graph, 0, NULL, &error));
  g_assert_no_error (error);
  assert_same_plans (unlowered, devices, table);
  g_remove (table);
}

/* Kernels are made of numbers that are written, too. */
static void
test_run (gconstpointer device)
{
  const char *const devices[] = { device, NULL };
  g_autofree char *table = g_build_filename (folder, "none.db", NULL);
  g_autoptr (GBytes) graph = g_bytes_new_static (model, sizeof model - 1);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (TplanSession) session = NULL;
  g_autoptr (GError) error = NULL;
  static float x[64 * 64], z[64 * 64];
  const void *inputs[] = { x };
  void *outputs[] = { z };

  if (!begin ())
    return;
  bytes = plan_in (COMMA, model, devices, table);
  plan = tplan_plan_new_from_bytes (bytes, graph, NULL, &error);
  g_assert_no_error (error);
  session = tplan_session_new (plan, 1, &error);
  if (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_no_error (error);
  for (int i = 0; i < 64 * 64; i++)
    x[i] = i % 65 == 0 ? 2.0f : -0.0f;
  x[1] = -1.0f;
  g_assert_true (tplan_session_run (session, inputs, outputs, &error));
  g_assert_cmpfloat (z[0], ==, 4.0f);
  g_assert_cmpfloat (z[1], ==, -1.5f); /* -4 times 0.375 */
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("tplan-locale-XXXXXX", NULL);
  g_assert_nonnull (folder);
  make_locale ();
  g_test_add_func ("/locale/simulated", test_simulated);
  g_test_add_func ("/locale/measured", test_measured);
  g_test_add_data_func ("/locale/run/cpu", "cpu", test_run);
  g_test_add_data_func ("/locale/run/opencl", "opencl:0", test_run);
  status = g_test_run ();
  remove_folder ();
  return status;
}
