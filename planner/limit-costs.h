/* limit-costs.h: what placements cost within limits of memory, part by part. */
#ifndef TP_PLANNER_LIMIT_COSTS_H
#define TP_PLANNER_LIMIT_COSTS_H

#include "planner/problem.h"

/* [op * n_devices + device]: what ops cost by themselves, with the copies of outputs that
 * the caller reads; TP_COST_NONE: not there; g_free (). */
gint64 *tp_limit_costs_list (const TpProblem *problem);
/* To one of these. */
static inline void
tp_limit_costs_add (gint64 *own, gint64 cost)
{
  if (*own != TP_COST_NONE)
    *own = cost == TP_COST_NONE ? TP_COST_NONE : *own + cost;
}

/* What a copy of @tensor to @to costs where it is made on @from, which is of no account
 * for what the caller has. */
gint64 tp_limit_costs_copy (const TpProblem *problem, int tensor, int from,
                            int to);
/* Whether the caller has @tensor on @device, whoever reads it there. */
gboolean tp_limit_costs_is_kept (const TpProblem *problem, int tensor,
                                 int device);
/* Of all groups on all devices: what is paid, less this. */
gint64 tp_limit_costs_sum_gains (const TpProblem *problem);

#endif
