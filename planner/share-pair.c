/* share-pair.c: see share-pair.h. Of two devices all placements are swept, or searched
 * with a bound (limit.c): what fits on two is known better than what fits on three. */
#include "config.h"

#include "planner/share-pair.h"

#include "ir/guard.h"
#include "ir/pools.h"
#include "planner/cut.h"
#include "planner/limit.h"
#include "planner/limit-layout.h"

#include <string.h>

/* Of @from, with @n rows in all; @pair: devices of @costs. */
static void
copy_table (TpCost *to, const TpCost *from, int n, int n_devices,
            const int pair[2])
{
  for (gsize i = 0; i < (gsize) n; i++)
    for (int d = 0; d < 2; d++)
      to[2 * i + d] = from[i * n_devices + pair[d]];
}

static void
copy_copies (TpCosts *to, const TpCosts *costs, const int pair[2])
{
  for (int i = 0; i < to->n_tensors; i++)
    for (int d = 0; d < 2; d++)
      {
        *tp_costs_feed (to, i, d) = *tp_costs_feed (costs, i, pair[d]);
        *tp_costs_fetch (to, i, d) = *tp_costs_fetch (costs, i, pair[d]);
      }
}

static TpCosts *
new_costs (const TpProblem *problem, const int pair[2])
{
  const TpCosts *costs = problem->costs;
  const char *const names[]
      = { costs->devices[pair[0]], costs->devices[pair[1]], NULL };
  const TpCostRows rows
      = { costs->n_nodes, costs->n_groups, problem->graph->n_tensors };
  g_autoptr (TpCosts) two = tp_costs_new_sized (2, names, &rows);

  two->host = costs->host == pair[0]   ? 0
              : costs->host == pair[1] ? 1
                                       : TP_COSTS_HOST;
  copy_table (two->nodes, costs->nodes, costs->n_nodes, costs->n_devices, pair);
  copy_table (two->groups, costs->groups, costs->n_groups, costs->n_devices,
              pair);
  copy_copies (two, costs, pair);
  two->is_simulated = costs->is_simulated;
  return g_steal_pointer (&two);
}

/* Of both, and what they share; into @two its name. */
static void
take_limits (const TpProblem *problem, const int pair[2], TpCosts *two,
             gint64 limits[3])
{
  const TpCosts *costs = problem->costs;
  int row = tp_pools_find (costs, pair[0]);
  gboolean do_share = row >= 0 && tp_pools_is_in (costs, row, pair[1]);

  for (int d = 0; d < 2; d++)
    {
      limits[d] = do_share ? problem->limits[pair[d]]
                           : tp_pools_get_limit (costs, problem->limits,
                                                 pair[d]);
      two->pools[d] = do_share ? g_strdup (costs->pools[pair[d]]) : NULL;
    }
  limits[2] = do_share ? problem->limits[row] : 0;
}

/* By the first that finds one: the cheapest of all, if it fits. */
static gboolean
solve (TpProblem *problem, const gint64 *limits, guint8 *devices)
{
  g_autoptr (TpPlan) plan = tp_plan_new (), limited = tp_plan_new ();
  g_autofree guint8 *cheapest
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  g_auto (TpLimitLayout) layout = { 0 };

  if (!tp_solver_cut.solve (problem, plan, devices, cheapest, NULL))
    return FALSE;
  problem->limits = limits;
  tp_limit_layout_init (&layout, problem);
  return tp_limit_layout_get_over (&layout, (const gint8 *) devices) == 0
         || tp_solver_limit.solve (problem, limited, devices, cheapest, NULL);
}

/* Those of @problem, weighed or not. */
static void
take_weights (const TpProblem *problem, const int pair[2], gint64 *weights)
{
  for (int kind = 0; kind < 3; kind++)
    for (int d = 0; d < 2; d++)
      weights[2 * kind + d]
          = problem->weights == NULL
                ? 1
                : problem->weights[kind * problem->n_devices + pair[d]];
}

/* Into @part, of the two: what may not be there, and what groups save. FALSE: some op
 * may be on neither. */
static gboolean
take_bars (const TpProblem *problem, const int pair[2], TpProblem *part)
{
  int n_nodes = problem->graph->n_nodes;

  if (part->is_barred == NULL)
    part->is_barred = tp_new0 (guint8, 2 * (gsize) n_nodes + 1);
  for (int i = 0; i < n_nodes; i++)
    {
      gboolean has_place = FALSE;

      for (int d = 0; d < 2; d++)
        if (tp_problem_node_cost (problem, i, pair[d]) != TP_COST_NONE)
          has_place = TRUE;
        else
          part->is_barred[2 * i + d] = TRUE;
      if (!has_place)
        return FALSE;
    }
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int d = 0; d < 2; d++)
      part->gains[2 * i + d] = tp_problem_get_gain (problem, i, pair[d]);
  return TRUE;
}

gboolean
tp_share_pair_place (const TpProblem *problem, int a, int b, guint8 *out)
{
  const int pair[2] = { a, b };
  g_autoptr (TpCosts) two = new_costs (problem, pair);
  g_autoptr (TpProblem) whole
      = tp_problem_new (problem->graph, problem->groups, two,
                        problem->objective->name, NULL);
  g_autoptr (TpProblem) part = NULL;
  gint64 limits[3], weights[6];

  memset (out, 0, problem->graph->n_nodes);
  if (whole == NULL)
    return FALSE;
  take_limits (problem, pair, two, limits);
  take_weights (problem, pair, weights);
  part = tp_problem_weigh (whole, weights);
  part->is_part = TRUE;
  if (!take_bars (problem, pair, part) || !solve (part, limits, out))
    return FALSE;
  for (int i = 0; i < problem->graph->n_nodes; i++)
    out[i] = (guint8) pair[out[i]];
  return TRUE;
}
