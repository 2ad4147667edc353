/* limit.h: the cheapest placement on two devices that fits into their memory. */
#ifndef TP_PLANNER_LIMIT_H
#define TP_PLANNER_LIMIT_H

#include "planner/solver.h"

extern const TpSolver tp_solver_limit;

/* Into @devices, zeroed, what takes least time of what fits: [op]. FALSE: nothing was
 * found, as for the solver. */
gboolean tp_limit_find (const TpProblem *problem, guint8 *devices,
                        GError **error);

/* TPLAN_ERROR_INFEASIBLE, with what @nearest, [op], takes too much; FALSE. */
gboolean tp_limit_fail (const TpProblem *problem, const gint8 *nearest,
                        gboolean is_proved, GError **error);

#endif
