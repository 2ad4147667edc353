/* origin.h: whether devices are still those whose figures a plan has. */
#ifndef TP_CLI_ORIGIN_H
#define TP_CLI_ORIGIN_H

#include "cli/cli.h"
#include "ir/plan.h"

#include <jansson.h>

/* What of the processor, drivers and threads that figures of @device depend on differs
 * now; NULL: nothing, or the plan does not say. The caller frees. */
char *tp_origin_find_difference (const TpPlan *plan, int device);
/* Says it of devices that have ops. @what: how the plan is called. */
void tp_origin_note (const TpCli *cli, const TpPlan *plan, const char *what);
/* By device, those that differ and have ops. */
json_t *tp_origin_to_json (const TpPlan *plan);

#endif
