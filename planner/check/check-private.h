/* check-private.h: what the files of the checker share. Nothing here is
 * shared with the planner. */
#ifndef TP_PLANNER_CHECK_PRIVATE_H
#define TP_PLANNER_CHECK_PRIVATE_H

#include "ir/plan.h"

/* What one kernel or copy adds to the objective. */
typedef gint64 (*TpCheckerMeasure) (const TpCost *cost);

/* What the checks ask of a tensor. */
typedef struct
{
  int producer;               /* node, or -1 */
  int n_readers;
  const int *readers;         /* (unowned): nodes, ascending, each once */
  gboolean is_constant, is_output;
} TpCheckerTensor;

/* The halves of copies: what they cost between host memory and a device. */
typedef struct
{
  gint64 fetch, feed;         /* TP_COST_NONE: there is none */
} TpCheckerLegs;

typedef struct TpChecker
{
  const TpPlan *plan;         /* (unowned), as is the rest but the arrays */
  const TpGraph *graph;
  const TpCosts *costs;
  TpCheckerMeasure measure;   /* of the plan's objective; NULL: unknown */
  GPtrArray *reasons;
  gint64 *node_costs;         /* [node * n_devices + device]: of an op alone;
                               * TP_COST_NONE: may not be there */
  TpCheckerTensor *tensors;   /* [tensor] */
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
