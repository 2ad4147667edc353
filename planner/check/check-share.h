/* check-share.h: lower bounds of what placements cost, from shares of terms. */
#ifndef TP_PLANNER_CHECK_SHARE_H
#define TP_PLANNER_CHECK_SHARE_H

#include "planner/check/check-held.h"

__extension__ typedef __int128 TpCheckerWide;

/* A bound taken apart: @offset, and of each op what it answers for on either
 * device. */
typedef struct
{
  TpCheckerWide offset;
  TpCheckerWide *levels;      /* [op * 2 + device] */
} TpCheckerLevels;

/* FALSE: it claims shares that there are not, and that was said. */
gboolean tp_checker_find_levels (TpCheckerHeld *held, int bound,
                                 TpCheckerLevels *out);
/* What a placement costs, of ops that may all be where they are. */
TpCheckerWide tp_checker_sum_cost (TpCheckerHeld *held,
                                   const gint8 *devices);

#endif
