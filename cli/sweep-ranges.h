/* sweep-ranges.h: plans between the values of a sweep, in words and JSON. */
#ifndef TP_CLI_SWEEP_RANGES_H
#define TP_CLI_SWEEP_RANGES_H

#include <jansson.h>

#include "api/ranges.h"
#include "cli/cli.h"

/* @plan: one of the sweep's; @ranges: (nullable), then null, and nothing is printed. */
json_t *tp_sweep_ranges_to_json (const TpRanges *ranges, const TplanPlan *plan);
void tp_sweep_ranges_print (const TpRanges *ranges, const TplanPlan *plan,
                            const char *parameter, const TpCli *cli);

#endif
