/* cut.h: placements on two devices by minimum cuts. */
#ifndef TP_PLANNER_CUT_H
#define TP_PLANNER_CUT_H

#include "planner/solver.h"

extern const TpSolver tp_solver_cut;

#endif
