/* placement.h: what a placement that was made elsewhere costs, in words and
 * JSON. */
#ifndef TP_CLI_PLACEMENT_H
#define TP_CLI_PLACEMENT_H

#include "cli/cli.h"

/* Plans the model that @cli names by the options, and judges the placement of
 * @path by the same figures. */
gboolean tp_cli_judge_placement (TpCli *cli, const char *path, GError **error);

#endif
