/* plan-on.h: a small model planned on one device. */
#ifndef TP_TESTS_PLAN_ON_H
#define TP_TESTS_PLAN_ON_H

#include <glib.h>
#include <glib/gstdio.h>
#include <tplan.h>

/* NULL where the device is not there: the test is skipped then. Any other error is
 * a failure. */
static inline TplanPlan *
tp_test_plan_on (const char *device, const char *model, int n_threads)
{
  const char *const devices[] = { device, NULL };
  g_autofree char *folder = g_dir_make_tmp ("tplan-plan-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "g.json", NULL);
  g_autofree char *table = g_build_filename (folder, "cost.db", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = NULL;
  g_autoptr (TplanCosts) costs = NULL;
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (TplanSession) session = NULL;

  g_assert_true (g_file_set_contents (path, model, -1, NULL));
  graph = tplan_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  costs = tplan_costs_open (table, devices, n_threads, &error);
  if (costs != NULL)
    plan = tplan_graph_optimize (graph, costs, NULL, &error);
  g_remove (path);
  g_remove (table);
  g_rmdir (folder);
  if (plan != NULL) /* planning asks no driver */
    session = tplan_session_new (plan, n_threads, &error);
  if (session != NULL)
    return g_steal_pointer (&plan);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_test_skip (error->message);
  return NULL;
}

#endif
