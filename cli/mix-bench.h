/* mix-bench.h: several graphs run side by side at their rates. */
#ifndef TP_CLI_MIX_BENCH_H
#define TP_CLI_MIX_BENCH_H

#include "cli/cli.h"

typedef struct
{
  gint64 time_limit_ns;       /* for so long runs are asked for */
  int n_in_flight;            /* runs of each that may be under way at a time; 0: two,
                               * or one where memory does not suffice */
} TpMixBenchOptions;

/* Runs the plans of the file @path and tells how long each run took from when it was
 * asked for, and how busy engines were. Runs are asked for evenly, or, where --seed is
 * given, at times drawn by it; whether the one before has ended is no matter.
 * TPLAN_ERROR_UNSUPPORTED: devices are simulated. */
gboolean tp_cli_bench_mix (TpCli *cli, const char *path,
                           const TpMixBenchOptions *options, GError **error);

#endif
