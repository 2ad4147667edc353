/* files.h: whether a file is the model, or the plan, that it is taken for. */
#ifndef TP_CLI_FILES_H
#define TP_CLI_FILES_H

#include "cli/cli.h"

/* Whether it is a plan, and of this model by what it says. */
gboolean tp_cli_is_plan_of (const char *path, const char *model);
/* "model.onnx" -> "model.plan.json"; the caller frees. */
char *tp_cli_name_plan (const char *model);

/* Whether those of @cli->args that @command takes are of the kind it takes.
 * TPLAN_ERROR_INPUT: a plan is given as a model, or a model as a plan. */
gboolean tp_cli_check_files (const TpCli *cli, const TpCommand *command,
                             GError **error);

/* FALSE: @path is a model. What is neither is left to who reads it. */
gboolean tp_cli_expect_plan (const char *path, GError **error);

#endif
