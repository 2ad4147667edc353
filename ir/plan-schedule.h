/* plan-schedule.h: an execution that follows the schedule of its plan: what begins
 * first comes first, and what is alive at once has places of its own. */
#ifndef TP_IR_PLAN_SCHEDULE_H
#define TP_IR_PLAN_SCHEDULE_H

#include "ir/execution.h"
#include "ir/plan.h"

/**
 * tp_plan_order_execution:
 * @plan: with a schedule
 * @execution: of it
 *
 * Puts the actions in the order in which they are to begin, each after those whose
 * tensors it needs, whatever the schedule says; and lays out arenas anew: a storage
 * lives until all that uses it is to end, which may be after others have begun.
 */
void tp_plan_order_execution (const TpPlan *plan, TpExecution *execution);

/* Where the plan says of each tensor when it is copied to each place, for
 * tp_plan_find_transfer (); g_free(). */
int *tp_plan_index_transfers (const TpPlan *plan, const TpExecution *execution);
/* The transfer of @plan that @action makes real; -1: none, as within host
 * memory. */
int tp_plan_find_transfer (const TpExecution *execution, const int *index,
                           const TpAction *action);

#endif
