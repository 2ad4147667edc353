/* cut.c: placements on two devices by minimum cuts.
 *
 * The margin of an op is what the cheapest plan with that op on its other
 * device costs more: its own cost there would have to fall, or here to rise, by
 * more than that before the plan changes for its sake. With a tie broken its price
 * is on every copy, as it was when the plan was chosen. One cut is solved; each op
 * then asks for a little more flow from there, beginning with what its
 * neighbours left (maxflow-force.c). In a large graph that is wired at random that
 * may lead through the whole graph, for each: so all together look at a number
 * of arcs, and of an op that would need more than its part what it found is the
 * least that its margin can be. */
#include "config.h"

#include "planner/cut.h"

#include "ir/guard.h"
#include "planner/network.h"
#include "planner/solver.h"
#include "planner/tie.h"

#include <string.h>

/* Two to five seconds, if all are needed. */
#define MARGIN_SCANS (G_GINT64_CONSTANT (1) << 28)

/* One device: nothing to cut, nothing to prove. */
static void
solve_alone (const TpProblem *problem, TpPlan *plan)
{
  for (int i = 0; i < problem->costs->n_groups; i++)
    plan->constant_ns += tp_problem_get_gain (problem, i, 0);
  plan->bound_ns = tp_problem_single_cost (problem, 0);
}

static gboolean
cut_solve (const TpProblem *problem, TpPlan *plan, guint8 *devices,
           guint8 *cheapest, GError **error)
{
  g_autoptr (TpNetwork) network = NULL;
  g_autoptr (TpNetwork) tie = NULL;
  int n_nodes = problem->graph->n_nodes;
  gint64 value;

  if (problem->n_devices == 1)
    {
      solve_alone (problem, plan);
      return TRUE;
    }
  network = tp_network_new (problem);
  value = tp_network_solve (network);
  for (int i = 0; i < n_nodes; i++)
    cheapest[i] = tp_network_get_device (network, i);
  memcpy (devices, cheapest, n_nodes);
  if (problem->heeds_noise)
    tie = tp_tie_break (problem, network, devices);
  plan->tie_price_ns = tie == NULL ? 0 : tp_network_get_price (tie);
  plan->constant_ns = tp_network_get_constant (network);
  plan->bound_ns = value - plan->constant_ns;
  tp_network_settle (network);
  if (tie != NULL)
    tp_network_settle (tie);
  plan->flows = tp_network_dup_flows (network, &plan->n_flows);
  if (tie != NULL)
    plan->tie_flows = tp_network_dup_flows (tie, &plan->n_flows);
  return TRUE;
}

static void
fill_margins (const TpProblem *problem, TpNetwork *network, TpPlan *plan)
{
  gsize n = (gsize) plan->n_placements + 1;
  g_autofree guint8 *is_wanted = tp_new0 (guint8, n);
  g_autofree TpFlowForced *forced = tp_new (TpFlowForced, n);

  for (int i = 0; i < plan->n_placements; i++)
    is_wanted[i] = tp_problem_node_cost (problem, i, 0) != TP_COST_NONE
                   && tp_problem_node_cost (problem, i, 1) != TP_COST_NONE;
  tp_network_force_all (network, is_wanted,
                        plan->n_placements <= TP_PLAN_MAX_EXACT ? G_MAXINT64
                                                                : MARGIN_SCANS,
                        forced);
  for (int i = 0; i < plan->n_placements; i++)
    {
      plan->placements[i].margin_ns = is_wanted[i] ? forced[i].amount : -1;
      plan->placements[i].is_margin_least = is_wanted[i] && !forced[i].is_exact;
    }
}

static void
cut_fill_margins (const TpProblem *problem, TpPlan *plan)
{
  g_autoptr (TpNetwork) solved = NULL;
  g_autoptr (TpNetwork) network = NULL;

  if (problem->n_devices == 1)
    return;
  solved = tp_network_new (problem);
  tp_network_solve (solved);
  network = plan->tie_price_ns == 0
                ? g_steal_pointer (&solved)
                : tp_network_raise (solved, plan->tie_price_ns);
  fill_margins (problem, network, plan);
}

const TpSolver tp_solver_cut = {
  .name = "min-cut",
  .max_devices = 2,
  .kinds = TP_OBJECTIVE_SUM,
  .allows_changes = TRUE,
  .certificate = "min-cut",
  .solve = cut_solve,
  .fill_margins = cut_fill_margins,
};
