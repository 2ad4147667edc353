/* cost-diff-plans.h: which plans change from one cost table to another. */
#ifndef TP_CLI_COST_DIFF_PLANS_H
#define TP_CLI_COST_DIFF_PLANS_H

#include <jansson.h>

#include "cli/cli.h"

/* Plans each of @models, files of models or plans, with the figures of either
 * table. With --format=json a record of each is appended to @list, else they are
 * printed. A plan says itself on which devices and how. */
gboolean tp_cost_diff_plans (TpCli *cli, const char *const *tables,
                             const char *const *models, json_t *list,
                             GError **error);

#endif
