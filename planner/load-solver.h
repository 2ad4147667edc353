/* load-solver.h: plans for throughput, with the plan that is cheapest for one run;
 * within limits of memory. */
#ifndef TP_PLANNER_LOAD_SOLVER_H
#define TP_PLANNER_LOAD_SOLVER_H

#include "planner/solver.h"

extern const TpSolver tp_solver_load, tp_solver_load_several;

#endif
