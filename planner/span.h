/* span.h: the placement on two devices whose run ends first where engines work at
 * once: their kernels, and each direction of their copies. */
#ifndef TP_PLANNER_SPAN_H
#define TP_PLANNER_SPAN_H

#include "ir/span-proof.h"
#include "planner/solver.h"

/**
 * tp_span_solve:
 * @problem: for one device, or two
 * @load_bound_ns: what no busiest engine carries less than
 * @other: (nullable): a placement to begin with too
 * @devices: (inout): [node]: a placement, of the cheapest that fit where there are
 *   limits of memory; then one whose run ends no later, and fits as it did
 *
 * Pure: what it may do is counted, not timed. Of groups only the last op is to be
 * read by others, as in those of tp_fuse_find ().
 *
 * Returns: (transfer full): its schedule, and what none goes below, whether it fits or
 *   not. %NULL: limits, in which nothing was found to fit.
 */
TpSpanProof *tp_span_solve (const TpProblem *problem, gint64 load_bound_ns,
                            const guint8 *other, guint8 *devices,
                            GError **error);

extern const TpSolver tp_solver_span;

#endif
