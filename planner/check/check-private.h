/* check-private.h: what the files of the checker share. Nothing here is
 * shared with the planner. */
#ifndef TP_PLANNER_CHECK_PRIVATE_H
#define TP_PLANNER_CHECK_PRIVATE_H

#include "ir/plan.h"

/* What one kernel or copy adds to the objective. */
typedef gint64 (*TpCheckerMeasure) (const TpCost *cost);

typedef struct
{
  const TpPlan *plan;         /* (unowned), as is the rest but the arrays */
  const TpGraph *graph;
  const TpCosts *costs;
  TpCheckerMeasure measure;   /* of the plan's objective; NULL: unknown */
  GPtrArray *reasons;
  gint64 *gains;              /* [group * n_devices + device] */
  int *group_of;              /* [node]: in all_groups, or -1 */
  gint64 n_copies;            /* of a plan that breaks a tie: those that cost
                               * anything */
} TpChecker;

/* Takes down a fault; returns FALSE. */
gboolean tp_checker_fail (TpChecker *checker, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

#endif
