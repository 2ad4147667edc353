/* share-tie.h: on three devices and more, of plans that noise cannot tell apart, one with
 * few copies. */
#ifndef TP_PLANNER_SHARE_TIE_H
#define TP_PLANNER_SHARE_TIE_H

#include "planner/problem.h"

/**
 * tp_share_tie_break:
 * @cheapest: [node]: the cheapest placement found
 * @devices: [node]: (out): what is taken in its place
 *
 * What is on one device, or the cheapest of what is on two, if that needs fewer copies and
 * costs more by no more than noise: of several the one with the fewest copies, of these
 * the cheapest.
 *
 * Returns: what a copy that is saved costs, rounded up, at least 1; 0: there is no such,
 *   @devices is left as it was.
 */
gint64 tp_share_tie_break (const TpProblem *problem, const guint8 *cheapest,
                           guint8 *devices);

#endif
