/* share.h: placements on three devices and more. */
#ifndef TP_PLANNER_SHARE_H
#define TP_PLANNER_SHARE_H

#include "planner/solver.h"

extern const TpSolver tp_solver_share;

#endif
