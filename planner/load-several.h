/* load-several.h: placements on three devices and more whose busiest engine carries
 * little, and a load that none goes below. */
#ifndef TP_PLANNER_LOAD_SEVERAL_H
#define TP_PLANNER_LOAD_SEVERAL_H

#include "ir/load-proof.h"
#include "planner/load-move.h"
#include "planner/solver.h"

/* As tp_load_solve_within () does for two. @room: (nullable): none is limited. */
TpLoadProof *tp_load_several_solve (const TpProblem *problem, TpLoadRoom *room,
                                    guint8 *devices, gint64 *out_excess,
                                    GError **error);

extern const TpSolver tp_solver_load_several;

#endif
