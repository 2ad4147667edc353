/* solver.c: the list of solvers, the fastest first. To add one, write a file that
 * ends in its record, and a row. */
#include "config.h"

#include "planner/solver.h"

#include "planner/cut.h"
#include "planner/limit.h"
#include "planner/load.h"
#include "planner/share.h"

static const TpSolver *const solvers[] = {
  &tp_solver_cut,
  &tp_solver_limit,
  &tp_solver_share,
  &tp_solver_load,
};

const TpSolver *
tp_solver_find (const TpProblem *problem, GError **error)
{
  int most = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (solvers); i++)
    {
      if ((solvers[i]->kinds & problem->objective->kind) == 0
          || (problem->limits != NULL && !solvers[i]->keeps_limits))
        continue;
      if (problem->n_devices <= solvers[i]->max_devices)
        return solvers[i];
      most = MAX (most, solvers[i]->max_devices);
    }
  if (problem->limits != NULL && most == 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                 "the plan for objective '%s' takes more memory than there "
                 "is, and limits of memory are kept for 'time' only: allow "
                 "more, or plan for that",
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
  return NULL;
}
