/* check-room.h: what limits of memory leave to devices, alone and together. */
#ifndef TP_PLANNER_CHECK_ROOM_H
#define TP_PLANNER_CHECK_ROOM_H

#include "ir/costs.h"
#include "ir/memory-proof.h"

__extension__ typedef __int128 TpCheckerBytes;

/* Of as many devices as are swept. */
typedef struct
{
  gint64 limits[TP_SWEEP_MAX_DEVICES]; /* 0: none; no more than they share */
  gint64 pool;                /* of two alone: for both together; 0: no limit */
} TpCheckerRoom;

TpCheckerRoom tp_checker_find_room (const TpCosts *costs,
                                    const gint64 *limits);
/* Of a device, of several: 0: none; no more than what it shares with others. */
gint64 tp_checker_find_limit (const TpCosts *costs, const gint64 *limits,
                              int device);
/* What the prices on bytes of either come to at most within @limits, and @pool for
 * both; < 0: for both any. */
TpCheckerBytes tp_checker_pay_most (const TpCheckerBytes *prices,
                                    const gint64 *limits, gint64 pool);
/* Whether @device has a limit together with others. */
gboolean tp_checker_shares_room (const TpCosts *costs, const gint64 *limits,
                                 int device);
/* What @prices, [device], on bytes of those come to at most. */
TpCheckerBytes tp_checker_pay_shared (const TpCosts *costs, const gint64 *limits,
                                      const TpCheckerBytes *prices);
/* Whether @bytes, [device], keep to all limits: first of the devices, then of what
 * they share. */
gboolean tp_checker_is_within (const TpCosts *costs, const gint64 *limits,
                               const TpCheckerBytes *bytes);
/* How many these are. */
int tp_checker_count_limits (const TpCosts *costs);

#endif
