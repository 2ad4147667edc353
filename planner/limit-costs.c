/* limit-costs.c: see limit-costs.h. */
#include "config.h"

#include "planner/limit-costs.h"

#include "ir/guard.h"

static gboolean
is_made_output (const TpProblem *problem, int tensor)
{
  const TpTensor *it = &problem->graph->tensors[tensor];

  return it->is_output && it->producer >= 0;
}

/* An output that the caller reads: paid wherever else it is made. */
static void
add_output (const TpProblem *problem, int tensor, gint64 *own)
{
  int n = problem->n_devices, host = problem->costs->host;

  own += (gsize) problem->graph->tensors[tensor].producer * n;
  for (int d = 0; d < n; d++)
    if (host == TP_COSTS_HOST)
      tp_limit_costs_add (&own[d], tp_problem_fetch_cost (problem, tensor, d));
    else if (host != d)
      tp_limit_costs_add (&own[d],
                          tp_problem_edge_cost (problem, tensor, d, host));
}

gint64 *
tp_limit_costs_list (const TpProblem *problem)
{
  int n = problem->n_devices, n_ops = problem->graph->n_nodes;
  gint64 *own = tp_new0 (gint64, (gsize) n_ops * n + 1);

  for (int i = 0; i < n_ops * n; i++)
    own[i] = tp_problem_node_cost (problem, i / n, i % n);
  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (is_made_output (problem, i)
        && !tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_output (problem, i, own);
  return own;
}

gint64
tp_limit_costs_copy (const TpProblem *problem, int tensor, int from, int to)
{
  gboolean is_made = problem->graph->tensors[tensor].producer >= 0;

  return tp_problem_edge_cost (problem, tensor, is_made ? from : TP_COSTS_HOST,
                               to);
}

gboolean
tp_limit_costs_is_kept (const TpProblem *problem, int tensor, int device)
{
  return is_made_output (problem, tensor) && problem->costs->host == device;
}

gint64
tp_limit_costs_sum_gains (const TpProblem *problem)
{
  gint64 sum = 0;

  for (int i = 0; i < problem->costs->n_groups; i++)
    for (int d = 0; d < problem->n_devices; d++)
      sum += tp_problem_get_gain (problem, i, d);
  return sum;
}
