/* cut.c: placements on two devices by minimum cuts.
 *
 * The margin of an op is what the cheapest plan with that op on its other
 * device costs more: its own cost there would have to fall, or here to rise, by
 * more than that before the plan changes for its sake. With a tie broken its price
 * is on every copy, as it was when the plan was chosen. One cut is solved;
 * each op then asks for a little more flow from there. Where many ops hang
 * together, that leads through the whole graph, for each: so all ops share a
 * number of arcs to look at, and one that would need more than its part of what
 * is left has no margin. */
#include "config.h"

#include "planner/cut.h"

#include "planner/network.h"
#include "planner/solver.h"
#include "planner/tie.h"

#include <string.h>

/* A second where they lie close in memory, ten where they do not: hundreds of ops
 * in any shape, hundreds of thousands in chains. */
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
  plan->arcs = tp_network_dup_arcs (network, tie, &plan->n_arcs);
  return TRUE;
}

static void
fill_margins (const TpProblem *problem, TpNetwork *network, TpPlan *plan)
{
  gint64 left = MARGIN_SCANS;

  for (int i = 0; i < plan->n_placements; i++)
    {
      TpPlacement *it = &plan->placements[i];
      gint64 share = left / (plan->n_placements - i), scans = share;

      it->margin_ns = -1;
      if (tp_problem_node_cost (problem, it->node, 0) != TP_COST_NONE
          && tp_problem_node_cost (problem, it->node, 1) != TP_COST_NONE)
        it->margin_ns = tp_network_force (network, it->node, &scans);
      left -= share - MAX (scans, 0);
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
  .certificate = "min-cut",
  .solve = cut_solve,
  .fill_margins = cut_fill_margins,
};
