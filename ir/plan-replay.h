/* plan-replay.h: when the schedule of a plan ends if its figures are wrong. */
#ifndef TP_IR_PLAN_REPLAY_H
#define TP_IR_PLAN_REPLAY_H

#include "ir/replicas.h"

/* Sets low_ns and high_ns of its span proof. Every engine does the same in the same
 * order, as sessions do; what waited for another engine's end still does. */
void tp_plan_find_span_interval (TpPlan *plan, const TpGraph *graph);

#endif
