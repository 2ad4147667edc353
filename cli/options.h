/* options.h: options common to commands: flag, else environment, else file. */
#ifndef TP_CLI_OPTIONS_H
#define TP_CLI_OPTIONS_H

#include "cli/cli.h"
#include "include/tplan.h"

/* Fills @cli from @argv, environment and configuration file. Returns
 * FALSE with an error, or with none when help was asked for and printed. */
gboolean tp_cli_parse (TpCli *cli, const TpCommand *command, int argc,
                       char **argv, GError **error);
void tp_cli_clear (TpCli *cli);
void tp_cli_print_help (const TpCommand *command);

/* Of --devices, --threads and --cost. (owned by @cli) */
TplanCosts *tp_cli_get_costs (TpCli *cli, GError **error);

#endif
