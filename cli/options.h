/* options.h: options common to commands: flag, else environment, else file. */
#ifndef TP_CLI_OPTIONS_H
#define TP_CLI_OPTIONS_H

#include "cli/cli.h"
#include "include/tplan.h"

/* Fills @cli from @argv, environment and configuration file. Returns
 * FALSE with an error, or with none when help was asked for and printed. */
gboolean tp_cli_parse (TpCli *cli, const TpCommand *command, int argc,
                       char **argv, GError **error);
/* The same of a line that is still being typed, without the file: whatever is no
 * option, or has no value yet, is passed over. */
void tp_cli_parse_typed (TpCli *cli, const TpCommand *command, int argc,
                         char **argv);
/* const GOptionEntry*: all that @command takes, its own first. (container) */
GPtrArray *tp_cli_list_options (const TpCommand *command);
void tp_cli_clear (TpCli *cli);
void tp_cli_print_help (const TpCommand *command);

/* Of --devices, --threads and --cost. (owned by @cli) */
TplanCosts *tp_cli_get_costs (TpCli *cli, GError **error);

#endif
