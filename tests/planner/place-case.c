/* place-case.c: see place-case.h. */
#include "config.h"

#include "place-case.h"

#include "planner/check/check.h"
#include "planner/place.h"

gboolean
tp_test_step_devices (guint8 *devices, int n, int n_devices)
{
  int i = 0;

  while (i < n && ++devices[i] == n_devices)
    devices[i++] = 0;
  return i < n;
}

gint64
tp_test_find_busiest (const TpTestCase *test, const gint64 *loads)
{
  gint64 most = 0, sum = 0;

  for (int e = 0; e < 3 * test->costs->n_devices; e++)
    {
      most = MAX (most, loads[e]);
      sum += loads[e];
    }
  return tp_costs_is_one_engine (test->costs) ? sum : most;
}

TpPlan *
tp_test_place (const TpTestCase *test, const char *objective)
{
  g_autoptr (GError) error = NULL;
  TpPlan *plan = tp_place (test->graph, test->groups, test->costs, objective,
                           &error);

  g_assert_no_error (error);
  return plan;
}

TpPlan *
tp_test_place_within_noise (const TpTestCase *test, const char *objective)
{
  g_autoptr (GError) error = NULL;
  TpPlan *plan = tp_place_within_noise (test->graph, test->groups, test->costs,
                                        objective, &error);

  g_assert_no_error (error);
  return plan;
}

static void
set_spreads (TpCost *table, int n, double relative)
{
  for (int i = 0; i < n; i++)
    table[i].spread_ns = table[i].time_ns == TP_COST_NONE
                             ? 0
                             : (gint64) (table[i].time_ns * relative);
}

void
tp_test_case_spread (const TpTestCase *test, double relative)
{
  TpCosts *costs = test->costs;
  int n = costs->n_devices;

  set_spreads (costs->nodes, n * costs->n_nodes, relative);
  set_spreads (costs->groups, n * costs->n_groups, relative);
  set_spreads (costs->feeds, n * costs->n_tensors, relative);
  set_spreads (costs->fetches, n * costs->n_tensors, relative);
  tp_costs_seal (costs);
}

gboolean
tp_test_is_taken (const TpPlan *plan, const TpTestCase *test)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  return tp_check (plan, test->graph, reasons);
}

/* Whether all its maker makes is @tensor, for one op alone. */
static gboolean
is_plain (const TpGraph *graph, const TpTensor *tensor)
{
  int n_made = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    n_made += graph->tensors[i].producer == tensor->producer;
  return tensor->producer >= 0 && n_made == 1 && tensor->n_consumers == 1
         && !tensor->is_output;
}

gint64
tp_test_sum_flow (const TpTestCase *test, const gint64 *flows, int n)
{
  const TpGraph *graph = test->graph;
  gint64 sum = 0;
  int at = 0;

  for (int i = 0; i < graph->n_nodes; i++, at += 2)
    sum += flows[at];
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *it = &graph->tensors[i];
      gboolean has_caller = it->producer >= 0 && it->is_output;
      int n_of_copy = is_plain (graph, it) ? 1 : 1 + has_caller + it->n_consumers;

      if (tp_tensor_is_resident (it))
        continue;
      sum += it->producer < 0 ? flows[at] : 0; /* fed to the second */
      sum += has_caller ? flows[at + n_of_copy + 1] : 0; /* read on the first */
      at += 2 * n_of_copy;
    }
  for (int i = 0; i < test->groups->n_groups; i++)
    {
      int n_of_gain = 1 + test->groups->groups[i].n_nodes;

      sum += flows[at + n_of_gain]; /* gained on the first */
      at += 2 * n_of_gain;
    }
  for (int i = 0; i < graph->n_colocations; i++)
    at += 2 * graph->colocations[i].n_nodes;
  g_assert_cmpint (at, ==, n);
  return sum;
}
