/* check-sweep.h: whether nothing within bounds of memory costs less than so
 * much. */
#ifndef TP_PLANNER_CHECK_SWEEP_H
#define TP_PLANNER_CHECK_SWEEP_H

#include "planner/check/check-steps.h"

typedef struct
{
  /* [device]: of the most that it holds at a step, but for constants */
  gint64 low[TP_SWEEP_MAX_DEVICES], high[TP_SWEEP_MAX_DEVICES];
  gint64 prices[TP_SWEEP_MAX_DEVICES]; /* of 2^30 bytes of constants: to look at
                               * less */
} TpCheckerBox;

/* TRUE: of all placements in @steps none whose peaks are in @box and that fits
 * costs less than @target. */
gboolean tp_checker_sweep (const TpCheckerSteps *steps,
                           const TpCheckerBox *box, TpCheckerWide target);

#endif
