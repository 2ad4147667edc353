/* check-private.h: what the files of the checker share. Nothing here is
 * shared with the planner. */
#ifndef TP_PLANNER_CHECK_PRIVATE_H
#define TP_PLANNER_CHECK_PRIVATE_H

#include "ir/outline.h"
#include "ir/plan.h"

/* What one kernel or copy adds to the objective. */
typedef gint64 (*TpCheckerMeasure) (const TpCost *cost);

/* The halves of copies: what they cost between host memory and a device. */
typedef struct
{
  gint64 fetch, feed;         /* TP_COST_NONE: there is none */
} TpCheckerLegs;

typedef struct TpChecker
{
  const TpPlan *plan;         /* (unowned), as is the rest but the arrays from
                               * @node_costs on, other than outlines */
  const TpGraph *graph;
  const TpCosts *costs;
  TpCheckerMeasure measure;   /* of the plan's objective; NULL: unknown */
  GPtrArray *reasons;
  gint64 *node_costs;         /* [node * n_devices + device]: of an op alone;
                               * TP_COST_NONE: may not be there */
  const TpTensorOutline *tensors; /* [tensor] */
  const TpNodeOutline *nodes; /* [node] */
  gboolean leaves_digest;     /* of the costs, for others to check */
  gboolean has_negative;      /* an op takes less than no time somewhere */
  TpCheckerLegs *legs;        /* [tensor * n_devices + device]: the host's are
                               * 0 */
  int *devices;               /* [node]: of the plan */
  gint64 *gains;              /* [group * n_devices + device] */
  int *group_of;              /* [node]: in all_groups, or -1 */
  gint64 n_copies;            /* of the plan: those that cost anything */
} TpChecker;

/* Takes down a fault; returns FALSE. */
gboolean tp_checker_fail (TpChecker *checker, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

#endif
