/* report-steps.h: what a run of a plan does in which order, and what memory it
 * has meanwhile, as the data of a report. */
#ifndef TP_CLI_REPORT_STEPS_H
#define TP_CLI_REPORT_STEPS_H

#include <jansson.h>

#include "ir/plan.h"

/* {"steps": [...], "memory": [...]}. A step is [op, tensor, from, to, ns, bytes]:
 * a kernel has the first op of it, tensor null, and its device as "to"; a copy
 * has op -1. Memory is, for each device, a list of [step, bytes alive from then
 * on]. A plan for makespan has besides "schedule": kernels and ways of copies, to and
 * from host memory, as steps with their start at the end. NULL: TPLAN_ERROR_INPUT, of a plan no planner makes. */
json_t *tp_report_steps_to_json (const TpPlan *plan, const TpGraph *graph,
                                 GError **error);

#endif
