/* loads.h: what engines carry by a plan for throughput, in words. */
#ifndef TP_CLI_LOADS_H
#define TP_CLI_LOADS_H

#include <jansson.h>

#include "ir/plan.h"

/* "1.2 ms a run on sim:gpu, 830 runs/s predicted, simulated, proved least (sim:cpu
 * 1.1 ms, ...)"; NULL: @plan has no such proof. Caller frees. */
char *tp_cli_format_loads (const TpPlan *plan);
/* {"engines": {name: ns}, "busiest", "load_ns", "bound_ns", "gap", "runs_per_s"};
 * null: there is none. */
json_t *tp_cli_loads_to_json (const TpPlan *plan);
/* "1.2 ms for a run whose engines work at once, simulated, bound 1.1 ms, gap 8.33 %";
 * NULL: @plan has no schedule. Caller frees. */
char *tp_cli_format_span (const TpPlan *plan);
/* {"span_ns", "bound_ns", "gap"}; null: there is none. */
json_t *tp_cli_span_to_json (const TpPlan *plan);

#endif
