/* keep.c: see keep.h. */
#include "config.h"

#include "cli/keep.h"

#include "api/plan.h"
#include "calib/stats.h"
#include "cli/apart.h"
#include "cli/output.h"
#include "ir/compare.h"

#include <stdlib.h>

#define FEWEST_RUNS 9

static gboolean
keep (const TpCli *cli, const TplanPlan *plan, const TpWholeTime *time)
{
  g_autoptr (GError) error = NULL;
  TpWholeTime of_threads = *time;
  gboolean is_kept;

  of_threads.n_threads = tp_api_pick_threads (tp_api_get_plan (plan),
                                              cli->device_options.n_threads);
  if (!tp_api_keep_whole (plan, cli->cost_path, &of_threads, &is_kept, &error))
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

static void
note_busy (const TpCli *cli)
{
  tp_cli_note (cli, "note: how long it took is not kept: others disturbed it");
}

void
tp_cli_keep_bench (const TpCli *cli, const TpBench *bench)
{
  TpApart apart;
  double slowness;
  int n = 0;

  if (bench->is_simulated)
    return;
  if (tp_bench_is_busy (bench) || tp_cli_note_apart (cli, &apart))
    {
      note_busy (cli);
      return;
    }
  slowness = tp_apart_get_slowness (&apart);
  for (guint i = 0; i < bench->entries->len; i++)
    {
      TpContestTimes times;
      TpWholeTime time = {
        .half_ns = tp_contest_get_half_ns (bench->contest, (int) i),
      };

      if (time.half_ns < 0 || tp_bench_get (bench, (int) i)->n_in_flight > 1)
        continue;
      tp_contest_get_times (bench->contest, (int) i, &times);
      time.median_ns = times.p50_ns;
      time.n = times.n;
      if (slowness > 0
          && tp_apart_concerns (tp_bench_get (bench, (int) i)->session))
        {
          time.median_ns = (gint64) ((double) time.median_ns / slowness);
          time.half_ns = (gint64) ((double) time.half_ns / slowness);
        }
      n += keep (cli, tp_bench_get (bench, (int) i)->plan, &time);
    }
  note_kept (cli, n);
}

gboolean
tp_cli_keep_runs (const TpCli *cli, const TplanPlan *plan, gint64 *times_ns,
                  int n, int n_runs)
{
  int rank = tp_stats_interval_rank (n);
  TpWholeTime time = { .n = n };
  gboolean is_kept;

  if (n_runs < FEWEST_RUNS || tp_api_get_plan (plan)->is_simulated)
    return FALSE;
  if (rank == 0 || n < FEWEST_RUNS)
    {
      note_busy (cli);
      return FALSE;
    }
  qsort (times_ns, n, sizeof *times_ns, tp_compare_int64);
  time.median_ns = times_ns[(n - 1) / 2];
  time.half_ns = (times_ns[n - rank] - times_ns[rank - 1]) / 2;
  is_kept = keep (cli, plan, &time);
  note_kept (cli, is_kept);
  return is_kept;
}
