/* single.c: see single.h. */
#include "config.h"

#include "cli/single.h"

#include "api/graph.h"
#include "api/plan.h"

/* By how much less @group takes as one kernel. */
static gint64
get_gain (const TpPlan *plan, int group, int device)
{
  const TpGroup *it = &plan->all_groups->groups[group];
  gint64 fused_ns = tp_costs_group (plan->costs, group, device)->time_ns;
  gint64 apart_ns = 0;

  for (int k = 0; k < it->n_nodes; k++)
    apart_ns += tp_costs_node (plan->costs, it->nodes[k], device)->time_ns;
  return MAX (apart_ns - MIN (fused_ns, apart_ns), 0);
}

static gint64
sum_copies (const TpPlan *plan, const TpGraph *graph, int device)
{
  gint64 sum = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpTensor *tensor = &graph->tensors[i];

      if (tp_tensor_is_resident (tensor))
        continue;
      if (tensor->producer < 0 && tensor->n_consumers > 0)
        sum += tp_costs_copy (plan->costs, i, TP_COSTS_HOST, device).time_ns;
      if (tensor->producer >= 0 && tensor->is_output)
        sum += tp_costs_copy (plan->costs, i, device, TP_COSTS_HOST).time_ns;
    }
  return sum;
}

json_t *
tp_cli_single_to_json (const TplanPlan *handle, int device)
{
  const TpPlan *plan = tp_api_get_plan (handle);
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (handle));
  gint64 sum = 0;

  if (plan->costs == NULL)
    return json_null ();
  for (int i = 0; i < graph->n_nodes; i++)
    {
      gint64 time_ns = tp_costs_node (plan->costs, i, device)->time_ns;

      if (time_ns == TP_COST_NONE)
        return json_null ();
      sum += time_ns;
    }
  for (int i = 0; i < plan->costs->n_groups; i++)
    sum -= get_gain (plan, i, device);
  return json_integer (sum + sum_copies (plan, graph, device));
}
