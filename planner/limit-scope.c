/* limit-scope.c: see limit-scope.h. */
#include "config.h"

#include "planner/limit-scope.h"

#include "ir/pools.h"
#include "planner/limit-costs.h"

/* The dearest copy to each device. */
static void
add_copies (TpLimitScope *scope, int tensor)
{
  for (int to = 0; to < scope->n_devices; to++)
    {
      gint64 most = 0;

      for (int from = 0; from < scope->n_devices; from++)
        if (from != to)
          most = MAX (most,
                      tp_limit_costs_copy (scope->problem, tensor, from, to));
      scope->sum += most;
    }
}

static void
add_costs (TpLimitScope *scope)
{
  const TpProblem *problem = scope->problem;

  scope->own = tp_limit_costs_list (problem);
  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_copies (scope, i);
  scope->constant = tp_limit_costs_sum_gains (problem);
  scope->sum += scope->constant;
  for (int i = 0; i < scope->n_ops * scope->n_devices; i++)
    if (scope->own[i] != TP_COST_NONE)
      scope->sum += scope->own[i];
}

/* Whether what devices share is too little for all that each could hold. */
static gboolean
has_tight_pool (const TpProblem *problem)
{
  const TpGraph *graph = problem->graph;
  TpLimitWide all = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    all += MAX (graph->tensors[i].size_bytes, 1);
  for (int row = problem->n_devices; row < tp_pools_count_rows (problem->costs);
       row++)
    if (problem->limits[row] > 0
        && problem->limits[row] < all * problem->n_devices)
      return TRUE;
  return FALSE;
}

gboolean
tp_limit_scope_init (TpLimitScope *scope, const TpProblem *problem,
                     const TpLimitHeld *held)
{
  const TpCosts *costs = problem->costs;
  int pool = tp_pools_find (costs, 0);

  *scope = (TpLimitScope){ .problem = problem, .held = held,
                           .n_devices = problem->n_devices,
                           .n_ops = problem->graph->n_nodes };
  if (scope->n_devices > TP_SWEEP_MAX_DEVICES
      || (scope->n_devices > 2 && has_tight_pool (problem)))
    return FALSE;
  scope->pool = pool < 0 || scope->n_devices > 2 ? 0 : problem->limits[pool];
  for (int d = 0; d < scope->n_devices; d++)
    scope->limits[d] = tp_pools_get_limit (costs, problem->limits, d);
  add_costs (scope);
  scope->max_price = tp_limit_held_max_price (held, scope->limits, scope->sum);
  return TRUE;
}

void
tp_limit_scope_clear (TpLimitScope *scope)
{
  g_clear_pointer (&scope->own, g_free);
}
