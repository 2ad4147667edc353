/* plan-interval.h: what a plan adds up to, and how sure that is. */
#ifndef TP_IR_PLAN_INTERVAL_H
#define TP_IR_PLAN_INTERVAL_H

#include "ir/plan.h"

typedef struct
{
  gint64 *kernels_ns;         /* [device] */
  gint64 total_ns;            /* with copies */
  double spread_ns;           /* half of its 95 % interval, were figures wrong
                               * each measurement by itself */
} TpPlanSum;
void tp_plan_sum_clear (TpPlanSum *sum);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpPlanSum, tp_plan_sum_clear)

/* By @costs, of the devices and groups of @plan: its own, or others. FALSE:
 * they have no figure for something that it does. */
gboolean tp_plan_sum_up (const TpPlan *plan, const TpGraph *graph,
                         const TpCosts *costs, TpPlanSum *out_sum);

/* Sets cost_low_ns and cost_high_ns: between them a run is with 90 %, as far as
 * spreads and errors of devices say. The log of the time is taken as normal;
 * its variance is that of what is wrong with each measurement, of what is wrong
 * with devices, and of a process. Likewise of what the busiest engine carries, in
 * plans for throughput, and of the end of the schedule, where there is one. */
void tp_plan_find_interval (TpPlan *plan, const TpGraph *graph);

/* 90 % of a normal distribution are within so many standard deviations. */
#define TP_PLAN_SDS 1.645

#endif
