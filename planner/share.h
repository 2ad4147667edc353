/* share.h: placements on three devices and more. */
#ifndef TP_PLANNER_SHARE_H
#define TP_PLANNER_SHARE_H

#include "planner/solver.h"

extern const TpSolver tp_solver_share;

/* Into @devices, zeroed, what takes least time of what is found to fit, on two devices and
 * more. FALSE: nothing was, as for the solvers. */
gboolean tp_share_find_any (const TpProblem *problem, guint8 *devices,
                            GError **error);

#endif
