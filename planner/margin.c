/* margin.c: how firmly each op sits where it is.
 *
 * The margin of an op is what the cheapest plan with that op on its other
 * device costs more: its own cost there would have to fall, or here to rise, by
 * more than that before the plan changes for its sake. One cut is solved;
 * each op then asks for a little more flow from there. */
#include "config.h"

#include "planner/planner.h"

#include "planner/network.h"

gboolean
tp_place_margins (TpPlan *plan, const TpGraph *graph, GError **error)
{
  g_autoptr (TpProblem) problem = NULL;
  g_autoptr (TpNetwork) network = NULL;

  problem = tp_problem_new (graph, plan->all_groups, plan->costs,
                            plan->objective, error);
  if (problem == NULL)
    return FALSE;
  if (plan->n_placements != graph->n_nodes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "the plan places %d ops, graph '%s' has %d: plan again",
                   plan->n_placements, graph->name, graph->n_nodes);
      return FALSE;
    }
  if (plan->n_devices < 2)
    return TRUE;
  network = tp_network_new (problem);
  tp_network_solve (network);
  for (int i = 0; i < plan->n_placements; i++)
    {
      TpPlacement *it = &plan->placements[i];

      it->margin_ns = -1;
      if (tp_problem_node_cost (problem, it->node, 0) != TP_COST_NONE
          && tp_problem_node_cost (problem, it->node, 1) != TP_COST_NONE)
        it->margin_ns = tp_network_force (network, it->node);
    }
  return TRUE;
}
