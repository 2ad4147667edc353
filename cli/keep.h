/* keep.h: what plans took when they ran, kept for plans to come. */
#ifndef TP_CLI_KEEP_H
#define TP_CLI_KEEP_H

#include "api/whole.h"
#include "cli/bench.h"

/* In the cost table that @cli plans by. That it cannot be is no error of what was
 * asked for: it is noted. Whether it was kept. */
gboolean tp_cli_keep (const TpCli *cli, const TplanPlan *plan,
                      const TpWholeTime *time);
/* All that ran. */
void tp_cli_keep_bench (const TpCli *cli, const TpBench *bench);
/* Of @n runs. */
void tp_cli_keep_runs (const TpCli *cli, const TplanPlan *plan,
                       const gint64 *sorted_ns, int n);

#endif
