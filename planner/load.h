/* load.h: the placement whose busiest engine carries least, as a pipeline of runs wants
 * it; and a load that no placement goes below. */
#ifndef TP_PLANNER_LOAD_H
#define TP_PLANNER_LOAD_H

#include "ir/load-proof.h"
#include "planner/load-move.h"

/* What weights add up to where costs allow it. */
#define TP_LOAD_WEIGHTS (1 << 16)

/**
 * tp_load_solve:
 * @problem: for up to six devices; limits of memory are not looked at
 * @devices: [node]: where each is to be
 *
 * Pure: what it may do is counted, not timed.
 *
 * Returns: (transfer full): what proves it. %NULL with @error set:
 *   %TPLAN_ERROR_UNSUPPORTED: more devices: name fewer.
 *   %TPLAN_ERROR_LIMIT: costs too large to be weighted: mend the costs.
 */
TpLoadProof *tp_load_solve (const TpProblem *problem, guint8 *devices,
                            GError **error);

/* The same where memory is limited: of placements that are asked about those that fit
 * come first; what is proved holds of all, whether they fit or not. @out_excess: bytes
 * that are missing for what was found, or 0. */
TpLoadProof *tp_load_solve_within (const TpProblem *problem, TpLoadRoom *room,
                                   guint8 *devices, gint64 *out_excess,
                                   GError **error);

#endif
