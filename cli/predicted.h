/* predicted.h: how sure predictions are, as commands say it. */
#ifndef TP_CLI_PREDICTED_H
#define TP_CLI_PREDICTED_H

#include <jansson.h>

#include "cli/cli.h"

/* " (90 %: 11.7 ms to 13.0 ms)"; "" where it is exact, or from before there
 * were intervals. */
char *tp_cli_format_interval (const TplanPlan *plan);
/* As "cost_low_ns" and "cost_high_ns", @prefix before "low_ns"; null: none. */
void tp_cli_add_interval (json_t *object, const char *prefix,
                          const TplanPlan *plan);
/* ", within the interval", ", outside the interval" or "". */
const char *tp_cli_judge_interval (const TplanPlan *plan, gint64 time_ns);

/* Where whole plans corrected figures: a line for each device. */
void tp_cli_note_factors (const TpCli *cli, const TplanPlan *plan);
/* {device: {"factor", "wholes"}} */
json_t *tp_cli_factors_to_json (const TplanPlan *plan);

#endif
