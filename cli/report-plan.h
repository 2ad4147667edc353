/* report-plan.h: a plan as the data of a report. */
#ifndef TP_CLI_REPORT_PLAN_H
#define TP_CLI_REPORT_PLAN_H

#include <jansson.h>

#include "include/tplan.h"

/* What is where and why, what runs in which order, what memory that takes. Its
 * keys are for view/report.js alone. */
json_t *tp_report_plan_to_json (const TplanPlan *plan, GError **error);

/* "4 ops on cpu, 2 on opencl:0: 72.1 us predicted, proved least": one line; the
 * caller frees. */
char *tp_report_format_verdict (const TplanPlan *plan);

#endif
