/* rated.h: the placement on two devices that takes the least energy, costs least, or
 * both and time weighted; exact. */
#ifndef TP_PLANNER_RATED_H
#define TP_PLANNER_RATED_H

#include "planner/solver.h"

/* Whether what @aim wants is stated, and there are at most two devices;
 * TPLAN_ERROR_USAGE, TPLAN_ERROR_UNSUPPORTED. */
gboolean tp_rated_check (const TpProblem *problem, TpAim aim, GError **error);
/* What sums of all costs there are stay below when times count @most. */
gboolean tp_rated_fits (const TpProblem *problem, gint64 most);

/* The least for what @problem wants, which all of it is stated for; its arcs prove
 * it. @devices: [node]: where each is to be. %NULL: TPLAN_ERROR_USAGE, _LIMIT. */
TpRateProof *tp_rated_solve (const TpProblem *problem, guint8 *devices,
                             GError **error);
/* What a placement takes of @aim; -1: too much for a number. */
gint64 tp_rated_sum (const TpProblem *problem, const guint8 *devices,
                     TpAim aim);

extern const TpSolver tp_solver_rated;

#endif
