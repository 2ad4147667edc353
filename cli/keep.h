/* keep.h: what plans took when they ran, kept for plans to come. */
#ifndef TP_CLI_KEEP_H
#define TP_CLI_KEEP_H

#include "api/whole.h"
#include "cli/bench.h"

/* In the cost table that @cli plans by. Figures are of kernels that nobody
 * disturbed, and so must be what is held against them: nothing is kept of a
 * busy machine. That it cannot be kept is no error of what was asked for: it is
 * noted. */

/* All that ran. */
void tp_cli_keep_bench (const TpCli *cli, const TpBench *bench);
/* Of @n_runs those that nobody disturbed, @n. Sorts them. Whether it was kept. */
gboolean tp_cli_keep_runs (const TpCli *cli, const TplanPlan *plan,
                           gint64 *times_ns, int n, int n_runs);

#endif
