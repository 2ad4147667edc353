/* margin.c: how firmly each op sits where it is. */
#include "config.h"

#include "planner/margin.h"

#include "planner/solver.h"

gboolean
tp_place_margins (TpPlan *plan, const TpGraph *graph, GError **error)
{
  g_autoptr (TpProblem) problem
      = tp_problem_new (graph, plan->all_groups, plan->costs, plan->objective,
                        error);
  const TpSolver *solver;

  if (problem != NULL && plan->memory_proof != NULL)
    problem->limits = plan->memory_limits;
  solver = problem == NULL ? NULL : tp_solver_find (problem, error);
  if (solver == NULL)
    return FALSE;
  if (plan->n_placements != graph->n_nodes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "the plan places %d ops, graph '%s' has %d: plan again",
                   plan->n_placements, graph->name, graph->n_nodes);
      return FALSE;
    }
  for (int i = 0; i < plan->n_placements; i++)
    {
      plan->placements[i].margin_ns = -1;
      plan->placements[i].is_margin_least = FALSE;
    }
  if (solver->fill_margins != NULL)
    solver->fill_margins (problem, plan);
  return TRUE;
}
