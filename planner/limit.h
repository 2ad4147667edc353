/* limit.h: the cheapest placement on two devices that fits into their memory. */
#ifndef TP_PLANNER_LIMIT_H
#define TP_PLANNER_LIMIT_H

#include "planner/solver.h"

extern const TpSolver tp_solver_limit;

#endif
