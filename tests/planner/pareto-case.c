/* pareto-case.c: see pareto-case.h. */
#include "config.h"

#include "pareto-case.h"

#include "hull-case.h"
#include "memory-case.h"
#include "place-case.h"
#include "random-rates.h"

#define MAX_OPS TP_PARETO_CASE_OPS
#define MAX_PLACEMENTS 1024

const TpAim tp_pareto_case_aims[TP_N_AIMS]
    = { TP_AIM_TIME, TP_AIM_ENERGY, TP_AIM_PRICE };

/* ---- cases ---------------------------------------------------------------- */

TpTestSpec
tp_pareto_case_spec (int n_ops)
{
  return (TpTestSpec){ .n_ops = n_ops, .max_cost = 9,
                       .host = g_test_rand_int_range (TP_COSTS_HOST, 2) };
}

void
tp_pareto_case_loosen (TpTestCase *test)
{
  TpCosts *costs = test->costs;

  for (int d = 0; d < costs->n_devices; d++)
    {
      TpRate *rate = &costs->rates[d];

      rate->idle_mw = 0;
      rate->busy_mw = g_test_rand_int_range (1, 40);
      rate->price = g_test_rand_int_range (1, 40);
      rate->is_per_use = TRUE;
      for (int i = 0; i < costs->n_nodes; i++)
        if (tp_costs_node (costs, i, d)->time_ns != TP_COST_NONE)
          tp_costs_node (costs, i, d)->time_ns
              = g_test_rand_int_range (100, 300) * 40
                / (rate->busy_mw + rate->price);
      for (int i = 0; i < costs->n_tensors; i++)
        {
          tp_costs_feed (costs, i, d)->time_ns = g_test_rand_int_range (0, 40);
          tp_costs_fetch (costs, i, d)->time_ns = g_test_rand_int_range (0, 40);
        }
    }
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  tp_costs_seal (costs);
}

TpParetoTask
tp_pareto_case_task (const TpTestCase *test, int n_aims, const TpAim *aims)
{
  return (TpParetoTask){ test->graph, test->groups, test->costs, NULL,
                         n_aims,      aims };
}

TpPareto *
tp_pareto_case_find (const TpParetoTask *task)
{
  g_autoptr (GError) error = NULL;
  TpPareto *pareto = tp_pareto_find (task, &error);

  g_assert_no_error (error);
  return pareto;
}

gint64
tp_pareto_case_get_total (const TpPareto *pareto, int index, int thing)
{
  return pareto->plans[index]->rate_proof->totals[pareto->aims[thing]];
}

/* ---- all placements ------------------------------------------------------- */

/* Of those that fit; of two things the third is 0. */
static int
list_points (const TpParetoTask *task, const TpTestCase *test, TpHullPoint *out)
{
  int n = test->graph->n_nodes, n_points = 0;
  guint8 devices[MAX_OPS + 1] = { 0 };

  do
    {
      gint64 totals[TP_N_AIMS];

      if (tp_test_case_take (test, devices, totals)
          && tp_memory_case_fits (test, devices, task->limits))
        {
          g_assert_cmpint (n_points, <, MAX_PLACEMENTS);
          for (int k = 0; k < TP_N_AIMS; k++)
            out[n_points].at[k]
                = k < task->n_aims ? totals[task->aims[k]] : 0;
          n_points++;
        }
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return n_points;
}

/* Whatever things are worth, no placement takes less than is said. */
static void
check_gap (const TpPareto *pareto, const TpHullPoint *points, int n)
{
  g_assert_true (pareto->is_complete == (pareto->gap == 0));
  for (int round = 0; round < 20; round++)
    {
      double worth[TP_N_AIMS] = { 0 }, found = G_MAXDOUBLE, least = G_MAXDOUBLE;

      for (int k = 0; k < pareto->n_aims; k++)
        worth[k] = g_test_rand_double () * g_test_rand_double ();
      for (int i = 0; i < n; i++)
        least = MIN (least, tp_hull_case_weigh (&points[i], worth));
      for (int i = 0; i < pareto->n_points; i++)
        {
          TpHullPoint it = { .at = { 0 } };

          for (int k = 0; k < pareto->n_aims; k++)
            it.at[k] = tp_pareto_case_get_total (pareto, i, k);
          found = MIN (found, tp_hull_case_weigh (&it, worth));
        }
      g_assert_cmpfloat (least, >=, found * (1 - pareto->gap) * (1 - 1e-12));
    }
}

gboolean
tp_pareto_case_check (const TpPareto *pareto, const TpParetoTask *task,
                      const TpTestCase *test)
{
  static TpHullPoint points[MAX_PLACEMENTS], corners[MAX_PLACEMENTS];
  int n = list_points (task, test, points), n_corners;

  for (int i = 0; i < pareto->n_points; i++)
    tp_test_assert_checked (pareto->plans[i], test->graph);
  g_assert_cmpint (pareto->n_proved, <=, pareto->n_plans);
  g_assert_cmpint (pareto->n_points, >, 0);
  check_gap (pareto, points, n);
  if (!pareto->is_complete)
    return FALSE;
  n_corners = tp_hull_case_keep (points, n, corners);
  g_assert_cmpint (pareto->n_points, ==, n_corners);
  for (int i = 0; i < n_corners; i++)
    for (int k = 0; k < task->n_aims; k++)
      g_assert_cmpint (tp_pareto_case_get_total (pareto, i, k), ==,
                       corners[i].at[k]);
  return TRUE;
}
