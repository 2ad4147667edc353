/* share.h: placements on three devices and more. */
#ifndef TP_PLANNER_SHARE_H
#define TP_PLANNER_SHARE_H

#include "planner/solver.h"

extern const TpSolver tp_solver_share;

/* As tp_limit_find () does for two: into @devices, zeroed, what takes least time of what
 * is found to fit. FALSE: nothing was, as for the solver. */
gboolean tp_share_find (const TpProblem *problem, guint8 *devices,
                        GError **error);

/* Whichever of both is for as many devices. */
gboolean tp_share_find_any (const TpProblem *problem, guint8 *devices,
                            GError **error);

#endif
