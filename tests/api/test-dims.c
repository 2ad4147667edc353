/* test-dims.c: dimensions without a value: an error, or 1 where that was asked
 * for, which a plan keeps. */
#include "config.h"

#include <tplan.h>

#include <glib/gstdio.h>

static const char text[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\", "
      "\"shape\": [\"N\", 3, \"K\"]}], \"outputs\": [\"y\"], \"ops\": "
      "[{\"type\": \"Relu\", \"inputs\": [\"x\"], \"outputs\": [\"y\"]}]}";

static void
check_plan (const TplanGraph *graph, const char *plan_path)
{
  static const char *const devices[] = { "sim:laptop-cpu", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open ("no-such-table.db", devices, 0, &error);
  g_autoptr (TplanPlan) plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_autoptr (TplanPlan) read = NULL;
  const TplanTensor *input;
  int n;

  g_assert_no_error (error);
  g_assert_true (tplan_plan_save (plan, plan_path, &error));
  g_assert_no_error (error);
  read = tplan_plan_load (plan_path, NULL, &error);
  g_assert_no_error (error);
  input = tplan_graph_get_inputs (tplan_plan_get_graph (read), &n);
  g_assert_cmpint (input->dims[0], ==, 1);
  g_assert_cmpint (input->dims[2], ==, 5);
}

static void
test_assumed (void)
{
  const TplanDim dims[] = { { "K", 5 }, { NULL, 0 } };
  const TplanLoadOptions strict = { .dims = dims };
  const TplanLoadOptions lax = { .dims = dims, .assumes_dims = TRUE };
  g_autofree char *folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "graph.json", NULL);
  g_autofree char *plan_path = g_build_filename (folder, "plan.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_null (tplan_graph_load_full (path, &strict, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_clear_error (&error);
  graph = tplan_graph_load_full (path, &lax, &error);
  g_assert_no_error (error);
  check_plan (graph, plan_path);
  g_unlink (plan_path);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dims/assumed", test_assumed);
  return g_test_run ();
}
