/* report-machine.h: the machine of a plan, and how good its figures are, as the
 * data of a report. */
#ifndef TP_CLI_REPORT_MACHINE_H
#define TP_CLI_REPORT_MACHINE_H

#include <jansson.h>

#include "cli/cli.h"

/* A list, one for each device of @plan: speeds from its profile or from the cost
 * table of @cli, the grade of what the plan was made by, and what no longer
 * holds. Opens no device; of a table that cannot be read, says so. */
json_t *tp_report_machine_to_json (const TpCli *cli, const TplanPlan *plan);

#endif
