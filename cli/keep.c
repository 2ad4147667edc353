/* keep.c: see keep.h. */
#include "config.h"

#include "cli/keep.h"

#include "calib/stats.h"
#include "cli/output.h"

#define FEWEST_RUNS 9

gboolean
tp_cli_keep (const TpCli *cli, const TplanPlan *plan, const TpWholeTime *time)
{
  g_autoptr (GError) error = NULL;
  gboolean is_kept;

  if (!tp_api_keep_whole (plan, cli->cost_path, time, &is_kept, &error))
    tp_cli_note (cli, "note: how long it took is not kept: %s",
                 error->message);
  return is_kept;
}

static void
note_kept (const TpCli *cli, int n)
{
  if (n > 0)
    tp_cli_note (cli,
                 "kept how long %s took: plans to come are corrected by it",
                 n == 1 ? "the plan" : "plans");
}

void
tp_cli_keep_bench (const TpCli *cli, const TpBench *bench)
{
  int n = 0;

  for (guint i = 0; i < bench->entries->len; i++)
    {
      TpContestTimes times;
      TpWholeTime time = {
        .half_ns = tp_contest_get_half_ns (bench->contest, (int) i),
        .n_threads = cli->device_options.n_threads,
      };

      if (time.half_ns < 0)
        continue;
      tp_contest_get_times (bench->contest, (int) i, &times);
      time.median_ns = times.p50_ns;
      time.n = times.n;
      n += tp_cli_keep (cli, tp_bench_get (bench, (int) i)->plan, &time);
    }
  note_kept (cli, n);
}

void
tp_cli_keep_runs (const TpCli *cli, const TplanPlan *plan,
                  const gint64 *sorted_ns, int n)
{
  int rank = tp_stats_interval_rank (n);

  if (n < FEWEST_RUNS)
    return;
  note_kept (cli,
             tp_cli_keep (cli, plan,
                          &(TpWholeTime){
                              .median_ns = sorted_ns[(n - 1) / 2],
                              .half_ns = (sorted_ns[n - rank]
                                          - sorted_ns[rank - 1])
                                         / 2,
                              .n = n,
                              .n_threads = cli->device_options.n_threads,
                          }));
}
