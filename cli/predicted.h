/* predicted.h: how sure predictions are, as commands say it. */
#ifndef TP_CLI_PREDICTED_H
#define TP_CLI_PREDICTED_H

#include <jansson.h>

#include "cli/cli.h"

/* " (90 %: 11.7 ms to 13.0 ms)"; "" where it is exact, or from before there
 * were intervals. */
char *tp_cli_format_between (gint64 low_ns, gint64 high_ns);
/* The same of a run. */
char *tp_cli_format_interval (const TplanPlan *plan);
/* As "low_ns" and "high_ns", @prefix before both; null: @low_ns is below 0. */
void tp_cli_add_between (json_t *object, const char *prefix, gint64 low_ns,
                         gint64 high_ns);
/* Likewise of a run. */
void tp_cli_add_interval (json_t *object, const char *prefix,
                          const TplanPlan *plan);
/* ", within the interval", ", outside the interval" or "". */
const char *tp_cli_judge_interval (const TplanPlan *plan, gint64 time_ns);

/* Where whole plans corrected figures: a line for each device. */
void tp_cli_note_factors (const TpCli *cli, const TplanPlan *plan);
/* {device: {"factor", "wholes"}} */
json_t *tp_cli_factors_to_json (const TplanPlan *plan);

#endif
