/* mix-names.h: what the models of one command are called. */
#ifndef TP_CLI_MIX_NAMES_H
#define TP_CLI_MIX_NAMES_H

#include "cli/cli.h"

/* "nets/a.b.onnx" is "a"; where several are, each with its folder: "nets/a". One
 * file given twice has one name. Ended by NULL; g_strfreev (). */
char **tp_cli_name_models (char *const *paths);
/* Which of @names, or which of the models @cli->args is called so in its file; -1:
 * none, or several. */
int tp_cli_find_named (const TpCli *cli, char *const *names, const char *name);

#endif
