/* rated.h: the placement on two devices that takes the least energy, costs least, or
 * both and time weighted; exact. */
#ifndef TP_PLANNER_RATED_H
#define TP_PLANNER_RATED_H

#include "planner/solver.h"

/* What sums of all costs there are stay below when times count @most. */
gboolean tp_rated_fits (const TpProblem *problem, gint64 most);

extern const TpSolver tp_solver_rated;

#endif
