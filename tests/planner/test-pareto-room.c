/* test-pareto-room.c: all corners of what placements take that fit into limits of memory,
 * of two things and of three, against all placements. */
#include "config.h"

#include "memory-case.h"
#include "pareto-case.h"
#include "random-rates.h"

#include <string.h>

#define MAX_OPS TP_PARETO_CASE_OPS

static TpTestCase *
new_limited_case (int round, gint64 *limits)
{
  int n_devices = 2 + round % 3;
  TpTestCase *test = tp_memory_case_new_for (
      n_devices, g_test_rand_int_range (2, n_devices == 2 ? 8 : 6));
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 bytes[TP_TEST_MAX_DEVICES];

  g_assert_cmpint (test->graph->n_nodes, <=, MAX_OPS);
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  tp_test_case_rate (test);
  for (int d = 1; d < n_devices; d++)
    {
      memset (devices, d, sizeof devices);
      tp_memory_case_count (test, devices, bytes);
      limits[d] = bytes[d] * g_test_rand_int_range (20, 90) / 100 + 1;
    }
  return test;
}

static void
test_limits (void)
{
  int n_rounds = tp_test_count_rounds (120, 900), n_complete = 0, n_bound = 0;
  int n_refused = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
      g_autoptr (TpTestCase) test = new_limited_case (round, limits);
      TpParetoTask task = tp_pareto_case_task (test, 2 + round / 3 % 2,
                                     tp_pareto_case_aims + round / 6 % 2);
      g_autoptr (TpPareto) pareto = NULL;
      g_autoptr (GError) error = NULL;

      if (task.n_aims == 3)
        task.aims = tp_pareto_case_aims;
      task.limits = limits;
      pareto = tp_pareto_find (&task, &error);
      if (pareto == NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
          n_refused++;
          continue;
        }
      n_complete += tp_pareto_case_check (pareto, &task, test);
      for (int i = 0; i < pareto->n_points; i++)
        {
          g_autofree guint8 *devices = tp_test_plan_devices (pareto->plans[i]);

          g_assert_true (tp_memory_case_fits (test, devices, limits));
          n_bound += pareto->plans[i]->memory_limits != NULL;
        }
    }
  g_test_message ("of %d %d are complete, %d have none that fits; limits bind %d "
                  "points", n_rounds, n_complete, n_refused, n_bound);
  g_assert_cmpint (n_complete, >=, (n_rounds - n_refused) * 8 / 10);
  g_assert_cmpint (n_refused, <, n_rounds / 4);
  g_assert_cmpint (n_bound, >, n_rounds / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pareto-room/limits", test_limits);
  return g_test_run ();
}
