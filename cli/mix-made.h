/* mix-made.h: one placement for several models, planned, told and written. */
#ifndef TP_CLI_MIX_MADE_H
#define TP_CLI_MIX_MADE_H

#include "cli/cli.h"

/* Plans all of @cli->args as --rate has it: @rates: (nullable): "NAME=RATE,...", names
 * as mix-names.h has them. */
gboolean tp_cli_optimize_mix (TpCli *cli, char *const *rates, GError **error);

#endif
