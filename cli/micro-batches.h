/* micro-batches.h: the parts that a batch is run in, as typed and in words. */
#ifndef TP_CLI_MICRO_BATCHES_H
#define TP_CLI_MICRO_BATCHES_H

#include <jansson.h>

#include "api/road.h"
#include "cli/cli.h"
#include "ir/plan.h"

/* "auto", a number of parts or their sizes, into @options, which borrow them until the
 * next call. @text: (nullable). TPLAN_ERROR_USAGE: none of these. */
gboolean tp_cli_parse_micro_batches (const char *text, TpRoadOptions *options,
                                     GError **error);
/* "24, 8, a batch of 32", "4 of 8, a batch of 32"; NULL: it is whole. Caller frees. */
char *tp_cli_format_micro_batches (const TpPlan *plan);
/* [24, 8]; null: it is whole. */
json_t *tp_cli_micro_batches_to_json (const TpPlan *plan);
/* Says what may be won by parts, where a batch is whole and outgrows the caches. */
void tp_cli_note_batch (const TpCli *cli, const TplanPlan *plan);
/* What is said of a proof or a limit: " with these micro-batches and weights
 * streamed", or one of both; "" where there are none. */
const char *tp_cli_with (const TpPlan *plan);

#endif
