/* load-several.h: placements on three devices and more whose busiest engine carries
 * little, and a load that none goes below. */
#ifndef TP_PLANNER_LOAD_SEVERAL_H
#define TP_PLANNER_LOAD_SEVERAL_H

#include "planner/solver.h"

extern const TpSolver tp_solver_load_several;

#endif
