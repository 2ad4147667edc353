/* report-runs.h: what runs and sweeps took, from what `tplan run` and `tplan
 * sweep` wrote as JSON, or from a run of our own, as the data of a report. */
#ifndef TP_CLI_REPORT_RUNS_H
#define TP_CLI_REPORT_RUNS_H

#include <jansson.h>

#include "cli/cli.h"

/* The document in @path. TPLAN_ERROR_INPUT: it is none, or not of @format, which
 * `tplan @verb --format json` writes. */
json_t *tp_report_read (const char *path, const char *format,
                        const char *verb, GError **error);

/* What was measured of the plan whose data is @plan: of @run the parts that a
 * page shows. FALSE: it is of another plan. */
gboolean tp_report_add_run (json_t *plan, const json_t *run);

/* The points of a sweep that can be drawn. */
json_t *tp_report_sweep_to_json (const json_t *sweep);

/* Runs @handle a few times, whole and step by step, and adds that to @plan, as
 * tp_report_add_run () does. */
gboolean tp_report_measure (TpCli *cli, TplanPlan *handle, json_t *plan,
                            GError **error);

#endif
