/* streamed.h: weights that a plan keeps in host memory, in words. */
#ifndef TP_CLI_STREAMED_H
#define TP_CLI_STREAMED_H

#include <jansson.h>

#include "cli/cli.h"
#include "ir/plan.h"

/* "2 weights, 2.0 MiB, stay on cpu: 2 copies a run, 211 us"; NULL: there are none.
 * Caller frees. */
char *tp_cli_format_streamed (const TplanPlan *plan);
/* {"from", "weights", "bytes", "copies", "copied_ns"}; null: there are none. */
json_t *tp_cli_streamed_to_json (const TplanPlan *plan);

#endif
