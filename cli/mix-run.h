/* mix-run.h: several graphs run side by side, for what comes out. */
#ifndef TP_CLI_MIX_RUN_H
#define TP_CLI_MIX_RUN_H

#include "cli/cli.h"

typedef struct
{
  char *const *inputs;        /* (nullable) "GRAPH:NAME=FILE" or
                               * "GRAPH:NAME=FILE:KEY" */
  const char *output_folder;  /* (nullable) */
  int n_rounds;               /* timed; 0: ten, or as many as are foretold to take
                               * 10 s */
  int n_warmup;               /* rounds before them */
  gboolean check;             /* outputs with the references */
  double tolerance;           /* of that; TP_RUN_DERIVED: what rounding can do */
} TpMixRunOptions;

/* Runs the plans of the file @path in rounds: in each, every graph as often as its
 * rate is to those of the others. TPLAN_ERROR_UNSUPPORTED: devices are simulated. */
gboolean tp_cli_run_mix (TpCli *cli, const char *path,
                         const TpMixRunOptions *options, GError **error);

#endif
