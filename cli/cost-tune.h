/* cost-tune.h: what tuning has found of models. */
#ifndef TP_CLI_COST_TUNE_H
#define TP_CLI_COST_TUNE_H

#include "api/tuned.h"
#include "cli/cli.h"

/* Of each of @models: every schedule that was timed of its kernels, as --format
 * says; of what is @asked more. Obeys --accuracy. TPLAN_ERROR_USAGE: no model has the
 * kernel that is asked for. */
gboolean tp_cost_tune (TpCli *cli, const char *const *models,
                       const TpTunedAsked *asked, GError **error);

#endif
