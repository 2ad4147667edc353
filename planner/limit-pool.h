/* limit-pool.h: what two devices that share memory may have of it. */
#ifndef TP_PLANNER_LIMIT_POOL_H
#define TP_PLANNER_LIMIT_POOL_H

#include "planner/limit-held.h"

/* What prices on all bytes of either device come to at most, if these take no more
 * than @room, and both together than @pool (< 0: any), in 2^-30. */
TpLimitWide tp_limit_pay_most (const gint64 *prices, const gint64 *room,
                               gint64 pool);

#endif
