/* accuracy.h: --accuracy, and what a plan has of it. */
#ifndef TP_CLI_ACCURACY_H
#define TP_CLI_ACCURACY_H

#include "ir/plan.h"

/* @text: (nullable) as given with --accuracy. */
gboolean tp_cli_parse_accuracy (const char *text, gboolean *out_is_relaxed,
                                GError **error);

/* How many kernels of @plan have larger errors than float32 need have, whatever the
 * plan says of itself. */
int tp_cli_count_relaxed (const TpPlan *plan);
/* For people; NULL: none has. */
char *tp_cli_format_accuracy (const TpPlan *plan);

#endif
