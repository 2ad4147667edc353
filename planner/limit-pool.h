/* limit-pool.h: what devices that share memory may have of it. */
#ifndef TP_PLANNER_LIMIT_POOL_H
#define TP_PLANNER_LIMIT_POOL_H

#include "planner/limit-held.h"
#include "planner/problem.h"

/* What prices on all bytes of either device come to at most, if these take no more
 * than @room, and both together than @pool (< 0: any), in 2^-30. */
TpLimitWide tp_limit_pay_most (const gint64 *prices, const gint64 *room,
                               gint64 pool);
/* Into @out, [device]: which bytes what fits pays most for, where a byte of each device
 * costs @prices. @problem: with limits. */
void tp_limit_fill_dearest (const TpProblem *problem, const gint64 *prices,
                            gint64 *out);

#endif
