/* plan-memory.h: what a plan takes on each device: one arena of tensors with
 * lifetimes, and the constants its ops read there. */
#ifndef TP_IR_PLAN_MEMORY_H
#define TP_IR_PLAN_MEMORY_H

#include "ir/graph.h"
#include "ir/plan.h"

/* Sets peak_bytes of a plan whose placements and groups are known: arena of each
 * device by lifetimes, plus the constants read there, unpacked. */
void tp_plan_count_memory (TpPlan *plan, const TpGraph *graph);

#endif
