/* hint-plan.h: what a plan says of how it was made, where a model is wanted. */
#ifndef TP_CLI_HINT_PLAN_H
#define TP_CLI_HINT_PLAN_H

#include <jansson.h>

#include "cli/cli.h"

/* Of plans for several values the first, its dimension being all of them, as text;
 * NULL: what is cut short or no JSON says nothing. The caller drops it. */
json_t *tp_hint_read_plan (const char *path);

/* Where a plan's graph is, as the reader of plans finds it; NULL: nowhere. The
 * caller frees. */
char *tp_hint_find_graph_of (const char *path, const json_t *plan);

/* The same of the plan at @path, if that is one. */
char *tp_hint_find_graph (const char *path);

/* What @plan was made with and @command takes, but for what is @given (TP_USES_...)
 * or an option of planning that was typed in @cli. */
void tp_hint_add_plan (GString *line, const TpCommand *command,
                       const json_t *plan, const TpCli *cli, unsigned given);

#endif
