/* rated-several.h: placements on three devices and more that take little energy, or cost
 * little, and what none takes less than. */
#ifndef TP_PLANNER_RATED_SEVERAL_H
#define TP_PLANNER_RATED_SEVERAL_H

#include "planner/solver.h"

extern const TpSolver tp_solver_rated_several;

#endif
