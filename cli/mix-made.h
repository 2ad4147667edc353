/* mix-made.h: one placement for several models, planned, told and written. */
#ifndef TP_CLI_MIX_MADE_H
#define TP_CLI_MIX_MADE_H

#include "cli/cli.h"

/* Plans all of @cli->args as --rate has it: @rates: (nullable): "NAME=RATE,...", names
 * those of files without what follows the first dot, or of graphs. */
gboolean tp_cli_optimize_mix (TpCli *cli, char *const *rates, GError **error);

#endif
