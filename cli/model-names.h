/* model-names.h: what a model calls its tensors and dimensions, as it stands in its
 * file, or in that of a plan. */
#ifndef TP_CLI_MODEL_NAMES_H
#define TP_CLI_MODEL_NAMES_H

#include "cli/cli.h"

typedef enum
{
  TP_NAMES_INPUTS,
  TP_NAMES_OUTPUTS,
  TP_NAMES_MADE,              /* by ops, with names of their own */
  TP_NAMES_DIMS,
} TpModelNames;

/* Of char *; empty where @path (nullable) cannot be read. */
GPtrArray *tp_cli_list_model_names (const TpCli *cli, const char *path,
                                    TpModelNames which);

#endif
