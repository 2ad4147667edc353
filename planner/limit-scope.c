/* limit-scope.c: see limit-scope.h. */
#include "config.h"

#include "planner/limit-scope.h"

#include "ir/guard.h"
#include "ir/pools.h"

static void
add_own (TpLimitScope *scope, int op, int device, gint64 cost)
{
  gint64 *own = &scope->own[(gsize) op * scope->n_devices + device];

  if (*own != TP_COST_NONE)
    *own = cost == TP_COST_NONE ? TP_COST_NONE : *own + cost;
}

gint64
tp_limit_scope_copy (const TpLimitScope *scope, int tensor, int from, int to)
{
  gboolean is_made = scope->problem->graph->tensors[tensor].producer >= 0;

  return tp_problem_edge_cost (scope->problem, tensor,
                               is_made ? from : TP_COSTS_HOST, to);
}

gboolean
tp_limit_scope_is_kept (const TpLimitScope *scope, int tensor, int device)
{
  const TpTensor *it = &scope->problem->graph->tensors[tensor];

  return it->is_output && it->producer >= 0
         && scope->problem->costs->host == device;
}

/* An output that the caller reads: paid wherever else it is made. */
static void
add_output (TpLimitScope *scope, int tensor)
{
  int maker = scope->problem->graph->tensors[tensor].producer;
  int host = scope->problem->costs->host;

  for (int d = 0; d < scope->n_devices; d++)
    if (host == TP_COSTS_HOST)
      add_own (scope, maker, d,
               tp_problem_fetch_cost (scope->problem, tensor, d));
    else if (host != d)
      add_own (scope, maker, d,
               tp_problem_edge_cost (scope->problem, tensor, d, host));
}

/* The dearest copy to each device. */
static void
add_copies (TpLimitScope *scope, int tensor)
{
  for (int to = 0; to < scope->n_devices; to++)
    {
      gint64 most = 0;

      for (int from = 0; from < scope->n_devices; from++)
        if (from != to)
          most = MAX (most, tp_limit_scope_copy (scope, tensor, from, to));
      scope->sum += most;
    }
}

static void
add_costs (TpLimitScope *scope)
{
  const TpProblem *problem = scope->problem;
  int k = scope->n_devices;

  for (int i = 0; i < scope->n_ops; i++)
    for (int d = 0; d < k; d++)
      add_own (scope, i, d, tp_problem_node_cost (problem, i, d));
  for (int i = 0; i < problem->graph->n_tensors; i++)
    {
      const TpTensor *it = &problem->graph->tensors[i];

      if (tp_tensor_is_resident (it))
        continue;
      if (it->is_output && it->producer >= 0)
        add_output (scope, i);
      add_copies (scope, i);
    }
  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int d = 0; d < k; d++)
      scope->constant += tp_problem_get_gain (problem, i, d);
  scope->sum += scope->constant;
  for (int i = 0; i < scope->n_ops * k; i++)
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
  scope->own = tp_new0 (gint64, (gsize) scope->n_ops * scope->n_devices + 1);
  add_costs (scope);
  scope->max_price = tp_limit_held_max_price (held, scope->limits, scope->sum);
  return TRUE;
}

void
tp_limit_scope_clear (TpLimitScope *scope)
{
  g_clear_pointer (&scope->own, g_free);
}
