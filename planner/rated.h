/* rated.h: the placement on two devices that takes the least energy, costs least, or
 * both and time weighted; exact. */
#ifndef TP_PLANNER_RATED_H
#define TP_PLANNER_RATED_H

#include "planner/rated-model.h"
#include "planner/solver.h"

/* The least for what @problem wants, which all of it is stated for; its flows prove
 * it. @devices: [node]: where each is to be. %NULL: TPLAN_ERROR_USAGE, _LIMIT. */
TpRateProof *tp_rated_solve (const TpProblem *problem, guint8 *devices,
                             GError **error);

extern const TpSolver tp_solver_rated;

#endif
