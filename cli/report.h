/* report.h: a page of plans. */
#ifndef TP_CLI_REPORT_H
#define TP_CLI_REPORT_H

#include <jansson.h>

#include "cli/cli.h"

typedef struct
{
  char **runs;                /* (nullable): files of `tplan run` */
  char **sweeps;              /* (nullable): files of `tplan sweep` */
  gboolean is_measured;       /* run each plan */
  const json_t *sweep;        /* (nullable) what `tplan sweep` has to say */
  const char *const *names;   /* (nullable) of the plans */
} TpReportOptions;

/* "model.plan.json" -> "model.report.html"; the caller frees. */
char *tp_report_name (const char *plan);

/* Whether the file is a page that this made. */
gboolean tp_report_is_page (const char *path);

/* HTML. @plans: of TplanPlan *, named as @cli->args are where those are as many.
 * TPLAN_ERROR_INPUT: a file that is none of a run or a sweep, or a run of none of
 * @plans. */
GBytes *tp_report_make (TpCli *cli, const GPtrArray *plans,
                        const TpReportOptions *options, GError **error);

#endif
