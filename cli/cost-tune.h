/* cost-tune.h: what tuning has found of models. */
#ifndef TP_CLI_COST_TUNE_H
#define TP_CLI_COST_TUNE_H

#include "cli/cli.h"

/* Of each of @models: every schedule that was timed of its kernels, as --format
 * says; with @is_all those that would be, too, also of kernels not tuned. Obeys
 * --accuracy. */
gboolean tp_cost_tune (TpCli *cli, const char *const *models, gboolean is_all,
                       GError **error);

#endif
