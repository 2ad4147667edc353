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

/* The text of a plan for @n. */
static char *
make_plan (const char *path, const char *plan_path, gint64 n)
{
  static const char *const devices[] = { "sim:laptop-cpu", NULL };
  const TplanDim dims[] = { { "N", n }, { "K", 5 }, { NULL, 0 } };
  const TplanLoadOptions options = { .dims = dims };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs
      = tplan_costs_open ("no-such-table.db", devices, 0, &error);
  g_autoptr (TplanGraph) graph = tplan_graph_load_full (path, &options, &error);
  g_autoptr (TplanPlan) plan = tplan_graph_optimize (graph, costs, NULL, &error);
  char *contents = NULL;

  g_assert_no_error (error);
  g_assert_true (tplan_plan_save (plan, plan_path, &error));
  g_assert_true (g_file_get_contents (plan_path, &contents, NULL, &error));
  return contents;
}

/* A session of what is picked for @n has @size items; 0: nothing is picked. */
static void
check_pick (const char *tiers_path, gint64 n, gint64 size)
{
  const TplanDim dims[] = { { "N", n }, { NULL, 0 } };
  const TplanLoadOptions options = { .dims = n > 0 ? dims : NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan
      = tplan_plan_load_full (tiers_path, NULL, &options, &error);
  g_autoptr (TplanSession) session = NULL;
  float *x, *y;

  if (size == 0)
    {
      g_assert_null (plan);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
      return;
    }
  g_assert_no_error (error);
  g_assert_cmpint (
      tplan_graph_get_inputs (tplan_plan_get_graph (plan), NULL)->dims[0], ==,
      size);
  session = tplan_session_new (plan, 0, &error);
  g_assert_no_error (error);
  x = g_new (float, size * 15);
  y = g_new0 (float, size * 15);
  for (int i = 0; i < size * 15; i++)
    x[i] = (float) (i - 7);
  g_assert_true (tplan_session_run (session, (const void *const[]){ x },
                                    (void *const[]){ y }, &error));
  for (int i = 0; i < size * 15; i++)
    g_assert_cmpfloat (y[i], ==, MAX (x[i], 0));
  g_free (x);
  g_free (y);
}

/* The plan for the least value that is not less. */
static void
test_tiers (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "graph.json", NULL);
  g_autofree char *plan_path = g_build_filename (folder, "plan.json", NULL);
  g_autofree char *few = NULL, *many = NULL, *tiers = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  few = make_plan (path, plan_path, 2);
  many = make_plan (path, plan_path, 6);
  check_pick (plan_path, 6, 6);
  check_pick (plan_path, 5, 0); /* of a plan by itself none other is meant */
  tiers = g_strdup_printf ("{\"format\": \"tplan-tiers/1\", \"parameter\": "
                           "\"N\", \"plans\": [%s, %s]}", few, many);
  g_assert_true (g_file_set_contents (plan_path, tiers, -1, NULL));
  check_pick (plan_path, 1, 2);
  check_pick (plan_path, 2, 2);
  check_pick (plan_path, 3, 6);
  check_pick (plan_path, 6, 6);
  check_pick (plan_path, 7, 0);
  check_pick (plan_path, 0, 0);
  g_unlink (plan_path);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dims/assumed", test_assumed);
  g_test_add_func ("/dims/tiers", test_tiers);
  return g_test_run ();
}
