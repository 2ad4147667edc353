/* solver.c: the list of solvers, the fastest first. To add one, write a file that
 * ends in its record, and a row. */
#include "config.h"

#include "planner/solver.h"

#include "planner/cut.h"
#include "planner/limit.h"
#include "planner/load-solver.h"
#include "planner/rated-several.h"
#include "planner/rated.h"
#include "planner/share.h"
#include "planner/span.h"

static const TpSolver *const solvers[] = {
  &tp_solver_cut,
  &tp_solver_limit,
  &tp_solver_share,
  &tp_solver_load,
  &tp_solver_load_several,
  &tp_solver_rated,
  &tp_solver_rated_several,
  &tp_solver_span,
};

/* Whether any state has a next value. */
static gboolean
has_changes (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state > 0 && graph->tensors[i].producer >= 0)
      return TRUE;
  return FALSE;
}

/* @most: devices that any solver of such problems takes; 0: there is none. */
static void
set_error (const TpProblem *problem, int most, GError **error)
{
  if (most == 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "plans for objective '%s' are not made where state changes "
                 "from run to run, as each waits for the one before: plan "
                 "for 'time' or 'makespan'",
                 problem->objective->name);
  else if (problem->limits != NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "%d devices: the cheapest plan takes more memory than there "
                 "is, and limits of memory are kept for at most %d devices: "
                 "name fewer, or allow more",
                 problem->n_devices, most);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "%d devices: plans for objective '%s' are made for at most "
                 "%d: name fewer",
                 problem->n_devices, problem->objective->name, most);
}

const TpSolver *
tp_solver_find (const TpProblem *problem, GError **error)
{
  gboolean changes = has_changes (problem->graph);
  int most = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (solvers); i++)
    {
      if ((solvers[i]->kinds & problem->objective->kind) == 0
          || (problem->limits != NULL && !solvers[i]->keeps_limits)
          || (changes && !solvers[i]->allows_changes))
        continue;
      if (problem->n_devices <= solvers[i]->max_devices)
        return solvers[i];
      most = MAX (most, solvers[i]->max_devices);
    }
  set_error (problem, most, error);
  return NULL;
}
