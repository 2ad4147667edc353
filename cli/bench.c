/* bench.c: plans run in turns, in one process, to see which is faster. */
#include "config.h"

#include "cli/bench.h"

#include "api/graph.h"
#include "api/plan.h"
#include "calib/workload.h"
#include "cli/bench-turn.h"
#include "cli/drivers.h"
#include "cli/origin.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/run-times.h"
#include "cli/watchdog.h"
#include "ir/clock.h"
#include "runtime/devices.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define LATEST 3              /* times the limit, and beyond it: */
#define LATEST_NS (20 * G_GINT64_CONSTANT (1000000000))
#define MAX_ROUNDS 10000
#define SITTINGS 16           /* there is time for so many, beside making sessions */
#define SIMULATED_ROUNDS 6    /* equal all: as many as an interval needs */

static void
entry_free (gpointer data)
{
  TpBenchEntry *entry = data;

  tplan_session_free (entry->session);
  tp_bench_flight_free (entry->flight);
  if (entry->n_in_flight <= 1)
    tplan_plan_free (entry->plan);
  g_free (entry->name);
  g_free (entry);
}

void
tp_bench_init (TpBench *bench)
{
  *bench = (TpBench){ .load = -1 };
  bench->entries = g_ptr_array_new_with_free_func (entry_free);
}

void
tp_bench_clear (TpBench *bench)
{
  tp_cli_watchdog_watch (NULL);
  /* The data is of the graph of a contestant. */
  tp_run_data_clear (&bench->data);
  g_clear_pointer (&bench->entries, g_ptr_array_unref);
  g_clear_pointer (&bench->contest, tp_contest_free);
}

const TpBenchEntry *
tp_bench_get (const TpBench *bench, int i)
{
  return bench->entries->pdata[i];
}

TplanPlan *
tp_bench_steal_plan (TpBench *bench, int i)
{
  TpBenchEntry *entry = bench->entries->pdata[i];

  entry->device = NULL;
  return g_steal_pointer (&entry->plan);
}

/* ---- contestants -------------------------------------------------------- */

/* The one device that has ops; NULL: several have. */
static const char *
find_single (const TplanPlan *plan)
{
  const char *only = NULL;
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (plan, &n);

  for (int i = 0; i < n; i++)
    if (devices[i].n_ops > 0 && only != NULL)
      return NULL;
    else if (devices[i].n_ops > 0)
      only = devices[i].name;
  return only;
}

void
tp_bench_add (TpBench *bench, const char *name, TplanPlan *plan)
{
  TpBenchEntry *entry = g_new0 (TpBenchEntry, 1);

  entry->name = g_strdup (name);
  entry->plan = plan;
  entry->n_in_flight = 1;
  entry->device = find_single (plan);
  g_ptr_array_add (bench->entries, entry);
}

/* @out_plan: NULL where @rival cannot run all. */
static gboolean
make_rival (TpCli *cli, const TplanPlan *plan, const TpRival *rival,
            TplanPlan **out_plan, GError **error)
{
  g_autoptr (GError) local = NULL;

  *out_plan = tp_cli_make_rival (cli, tplan_plan_get_graph (plan), rival, &local);
  if (*out_plan != NULL
      || g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
tp_bench_add_singles (TpBench *bench, TpCli *cli, const TplanPlan *plan,
                      GError **error)
{
  const char *known = find_single (plan);
  int n, n_ops;
  const TplanDevice *devices = tplan_plan_get_devices (plan, &n);

  tplan_graph_get_ops (tplan_plan_get_graph (plan), &n_ops);
  for (int i = 0; i < n && n_ops > 0; i++)
    {
      const TpRival rival = { .device = devices[i].name };
      TplanPlan *single;

      if (g_strcmp0 (devices[i].name, known) == 0)
        continue;
      if (!make_rival (cli, plan, &rival, &single, error))
        return FALSE;
      if (single != NULL)
        tp_bench_add (bench, devices[i].name, single);
      else
        tp_cli_note (cli, "note: %s cannot run all of it", devices[i].name);
    }
  return TRUE;
}

static gboolean
is_fused (const TpBenchEntry *entry)
{
  return tp_api_get_plan (entry->plan)->groups->n_groups > 0;
}

/* Whether one of the first @n has all on @device, and fuses: it is, or will be,
 * here without fusion too. */
static gboolean
has_fused_single (const TpBench *bench, guint n, const char *device)
{
  for (guint i = 0; i < n; i++)
    if (g_strcmp0 (tp_bench_get (bench, i)->device, device) == 0
        && is_fused (tp_bench_get (bench, i)))
      return TRUE;
  return FALSE;
}

gboolean
tp_bench_add_unfused (TpBench *bench, TpCli *cli, GError **error)
{
  guint n = bench->entries->len;

  for (guint i = 0; i < n; i++)
    {
      const TpBenchEntry *entry = tp_bench_get (bench, i);
      const TpRival rival = { entry->device, TRUE };
      g_autofree char *name = g_strconcat (entry->name, " without fusion", NULL);
      TplanPlan *plan;

      if (!is_fused (entry))
        continue;
      if (!make_rival (cli, entry->plan, &rival, &plan, error))
        return FALSE;
      if (plan == NULL)
        continue;
      if (entry->device == NULL && find_single (plan) != NULL
          && has_fused_single (bench, n, find_single (plan)))
        {
          tplan_plan_free (plan);
          continue;
        }
      tp_bench_add (bench, name, plan);
      ((TpBenchEntry *) bench->entries->pdata[bench->entries->len - 1])
          ->is_unfused = TRUE;
    }
  return TRUE;
}

void
tp_bench_add_flights (TpBench *bench, int n)
{
  guint n_single = bench->entries->len;

  for (guint i = 0; i < n_single; i++)
    {
      const TpBenchEntry *entry = tp_bench_get (bench, i);
      g_autofree char *name
          = g_strdup_printf ("%s, %d in flight", entry->name, n);

      tp_bench_add (bench, name, entry->plan);
      ((TpBenchEntry *) bench->entries->pdata[bench->entries->len - 1])
          ->n_in_flight = n;
    }
}

static gboolean
is_equal (const TplanTensor *a, const TplanTensor *b)
{
  return a->dtype == b->dtype && a->rank == b->rank
         && (a->rank == 0
             || memcmp (a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Whether @other takes and gives what the first contestant does. */
static gboolean
check_tensors (const TpBenchEntry *first, const TpBenchEntry *other,
               GError **error)
{
  const TplanTensor *(*const lists[]) (const TplanGraph *, int *)
      = { tplan_graph_get_inputs, tplan_graph_get_outputs };

  for (int i = 0; i < 2; i++)
    {
      int n, n_other;
      const TplanTensor *a
          = lists[i](tplan_plan_get_graph (first->plan), &n);
      const TplanTensor *b
          = lists[i](tplan_plan_get_graph (other->plan), &n_other);

      for (int k = 0; k < MAX (n, n_other); k++)
        if (k >= n || k >= n_other || !is_equal (&a[k], &b[k]))
          {
            g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                         "'%s' and '%s' differ in %s %d: name plans of one "
                         "model, with equal dimensions",
                         first->name, other->name,
                         i == 0 ? "input" : "output", k + 1);
            return FALSE;
          }
    }
  return TRUE;
}

/* A device of @entry that has ops and is simulated, or not; NULL: none. */
static const char *
find_device (const TpBenchEntry *entry, gboolean is_simulated)
{
  int n;
  const TplanDevice *devices = tplan_plan_get_devices (entry->plan, &n);

  for (int i = 0; i < n; i++)
    if (devices[i].n_ops > 0
        && tp_device_is_simulated (devices[i].name) == is_simulated)
      return devices[i].name;
  return NULL;
}

static gboolean
check_clocks (TpBench *bench, GError **error)
{
  const char *made_up = NULL, *real = NULL;

  for (guint i = 0; i < bench->entries->len; i++)
    {
      const TpBenchEntry *entry = tp_bench_get (bench, i);

      made_up = made_up != NULL ? made_up : find_device (entry, TRUE);
      real = real != NULL ? real : find_device (entry, FALSE);
    }
  bench->is_simulated = made_up != NULL;
  if (made_up == NULL || real == NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "'%s' is simulated and '%s' is not: virtual times do not "
               "compare with measured ones: give --devices of one sort",
               made_up, real);
  return FALSE;
}

gint64
tp_bench_count_items (const TpBench *bench)
{
  return tp_graph_count_items (
      tplan_plan_get_graph (tp_bench_get (bench, 0)->plan));
}

/* ---- running ------------------------------------------------------------ */

static gboolean
run_round (TpBench *bench, GError **error)
{
  int n = (int) bench->entries->len;
  int round = tp_contest_count_rounds (bench->contest);

  for (int i = 0; i < 2 * n && !*tp_cli_get_cancelled (); i++)
    if (!tp_bench_take_turn (bench, tp_contest_get_turn (n, round, i), error))
      return FALSE;
  if (!*tp_cli_get_cancelled ())
    tp_contest_end_round (bench->contest);
  return TRUE;
}

int
tp_bench_find_base (const TpBench *bench)
{
  g_autofree gboolean *is_single = g_new (gboolean, bench->entries->len);
  int best;

  for (guint i = 0; i < bench->entries->len; i++)
    is_single[i] = tp_bench_get (bench, i)->device != NULL
                   && tp_bench_get (bench, i)->n_in_flight == 1;
  best = tp_contest_find_best (bench->contest, is_single);
  return MAX (best, 0);
}

/* No round is begun that, by those before it, would end too late; nor one of those that
 * are run in any case where each takes so long that they would have no end in sight. */
static gboolean
is_over (TpBench *bench, const TpBenchOptions *options)
{
  int n_rounds = tp_contest_count_rounds (bench->contest);
  int n_wanted = options->n_rounds == 0 && bench->is_simulated
                     ? SIMULATED_ROUNDS
                     : options->n_rounds;

  bench->time_ns = tp_clock_get_ns () - bench->start_ns;
  if (*tp_cli_get_cancelled ())
    return TRUE;
  if (n_rounds < MAX (options->n_rounds_least, 1))
    return n_rounds > 0
           && bench->time_ns > LATEST * options->time_limit_ns + LATEST_NS;
  if (n_rounds == n_wanted || n_rounds == MAX_ROUNDS
      || bench->time_ns + bench->time_ns / n_rounds > options->time_limit_ns)
    return TRUE;
  return n_wanted == 0
         && tp_contest_is_settled (bench->contest, tp_bench_find_base (bench));
}

/* Two sessions of one plan are not equally fast: where their memory lies and which
 * threads share a processor makes up to 5 %. So there are several of each, and what
 * rounds of the same ones have in common counts once. Not where making them would take
 * most of the time; the first time kernels were compiled, too. */
static gboolean
is_sitting_over (const TpBench *bench, const TpBenchOptions *options)
{
  gint64 share_ns = options->time_limit_ns / SITTINGS;
  gboolean is_first = tp_contest_count_sittings (bench->contest) == 1;

  return !bench->is_simulated && tp_contest_count_rounds (bench->contest) > 0
         && bench->making_ns <= (is_first ? SITTINGS / 2 : 2) * share_ns
         && tp_clock_get_ns () - bench->sat_ns
                >= MIN (bench->making_ns, share_ns);
}

static gboolean
sit_anew (TpBench *bench, const TpCli *cli, GError **error)
{
  gint64 start_ns = tp_clock_get_ns ();

  for (guint i = 0; i < bench->entries->len; i++)
    if (!tp_bench_open_anew (bench, i, cli->device_options.n_threads, error))
      return FALSE;
  bench->sat_ns = tp_clock_get_ns ();
  bench->making_ns = bench->sat_ns - start_ns;
  tp_contest_begin_sitting (bench->contest);
  return TRUE;
}

static void
show_progress (const TpBench *bench, const TpCli *cli,
               const TpBenchOptions *options)
{
  gint64 left_ns = MAX (options->time_limit_ns - bench->time_ns, 0);

  tp_cli_progress ((int) MIN (bench->time_ns / 1000000, G_MAXINT),
                   (int) MIN (options->time_limit_ns / 1000000, G_MAXINT),
                   "at the latest", left_ns, (gpointer) cli);
}

static gint64
count_switches (void)
{
  struct rusage usage = { 0 };

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

static gboolean
run_rounds (TpBench *bench, const TpCli *cli, const TpBenchOptions *options,
            GError **error)
{
  TpWorkload begin, end;
  gboolean good = TRUE;

  bench->contest = tp_contest_new ((int) bench->entries->len);
  tp_workload_read (&begin);
  bench->n_switches = -count_switches ();
  bench->start_ns = bench->sat_ns = tp_clock_get_ns ();
  while (good && !is_over (bench, options))
    {
      good = (!is_sitting_over (bench, options) || sit_anew (bench, cli, error))
             && run_round (bench, error);
      show_progress (bench, cli, options);
    }
  bench->n_switches += count_switches ();
  tp_workload_read (&end);
  bench->is_alone = tp_workload_was_alone (&begin, &end);
  tp_cli_progress_end (cli);
  if (good && tp_contest_count_rounds (bench->contest) == 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED,
                 "interrupted before the first round ended");
  return good && tp_contest_count_rounds (bench->contest) > 0;
}

/* The load before may be that of a calibration just ended, and who takes a processor
 * from a thread a driver's other thread. */
gboolean
tp_bench_is_busy (const TpBench *bench)
{
  double n_processors = g_get_num_processors ();

  return !bench->is_alone
         && (bench->load > n_processors / 2
             || (double) bench->n_switches
                    > 20 * n_processors * ((double) bench->time_ns / 1e9 + 1));
}

void
tp_bench_note_busy (const TpBench *bench, const TpCli *cli)
{
  if (!bench->is_simulated && tp_bench_is_busy (bench))
    tp_cli_note (cli,
                 "note: the machine is busy: load %.1f before, %" G_GINT64_FORMAT
                 " involuntary switches: trust ratios, not times",
                 bench->load, bench->n_switches);
}

static void
note_origin (const TpBenchEntry *entry, const TpCli *cli)
{
  if (entry->n_in_flight == 1)
    tp_origin_note (cli, tp_api_get_plan (entry->plan), entry->name);
}

gboolean
tp_bench_run (TpBench *bench, const TpCli *cli, const TpBenchOptions *options,
              GError **error)
{
  const TpBenchEntry *first = tp_bench_get (bench, 0);

  for (guint i = 1; i < bench->entries->len; i++)
    if (!check_tensors (first, tp_bench_get (bench, i), error))
      return FALSE;
  if (!check_clocks (bench, error)
      || !tp_run_data_init (
          &bench->data, tp_api_get_graph (tplan_plan_get_graph (first->plan)),
          NULL, cli->seed, error))
    return FALSE;
  if (getloadavg (&bench->load, 1) != 1)
    bench->load = -1;
  for (guint i = 0; i < bench->entries->len; i++)
    tp_cli_meet_drivers (
        cli, (const char *const *) tp_api_get_plan (
                 tp_bench_get (bench, i)->plan)->devices);
  tp_cli_release_interrupts (); /* drivers compile for minutes, with nothing to keep */
  for (guint i = 0; i < bench->entries->len; i++)
    {
      if (!tp_bench_open (bench, i, cli->device_options.n_threads, error))
        return FALSE;
      bench->making_ns += tp_bench_get (bench, i)->first_ns;
      note_origin (tp_bench_get (bench, i), cli);
    }
  for (guint i = 0; i < bench->entries->len; i++)
    if (!tp_bench_warm_up (bench, i, error))
      return FALSE;
  tp_cli_catch_interrupts ();
  return run_rounds (bench, cli, options, error);
}
