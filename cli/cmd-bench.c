/* cmd-bench.c: what really is faster here: plans, and all on one device. */
#include "config.h"

#include "api/plan.h"
#include "cli/bench.h"
#include "cli/csv.h"
#include "cli/keep.h"
#include "cli/loads.h"
#include "cli/mix-bench.h"
#include "cli/origin.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "cli/values.h"
#include "cli/watchdog.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOT_GIVEN G_MININT

static struct
{
  char *time_limit;
  int n_rounds;
  int n_in_flight;
  char *watchdog;
} bench_given = { .n_rounds = NOT_GIVEN, .n_in_flight = NOT_GIVEN };

static const GOptionEntry bench_options[] = {
  { "time-limit", 0, 0, G_OPTION_ARG_STRING, &bench_given.time_limit,
    "stop after TIME, however wide the intervals (10s)", "TIME" },
  { "rounds", 'n', 0, G_OPTION_ARG_INT, &bench_given.n_rounds,
    "rounds to run, instead of until they are narrow", "N" },
  { "in-flight", 0, 0, G_OPTION_ARG_INT, &bench_given.n_in_flight,
    "each also with N runs under way at a time (2 to 64)", "N" },
  { "watchdog", 0, 0, G_OPTION_ARG_STRING, &bench_given.watchdog,
    "give up when no kernel ends for TIME (60, 2m)", "TIME" },
  TP_PLANNING_OPTIONS,
  { 0 },
};

/* What is told of one contestant. */
typedef struct
{
  const TpBenchEntry *entry;
  TpContestTimes times;
  TpContestRatio ratio;       /* to the base */
  double items_per_second;
  const char *verdict;
} Told;

static const char *
find_verdict (const TpBench *bench, int who, int base, TpContestRatio ratio)
{
  if (who == base)
    return tp_bench_get (bench, base)->device != NULL ? "best single" : "first";
  if (isinf (ratio.high))
    return "too few rounds";
  return ratio.high < 1 ? "faster"
         : ratio.low > 1 ? "slower"
                         : "no difference";
}

static Told
tell (const TpBench *bench, int who, int base)
{
  Told told = { .entry = tp_bench_get (bench, who) };
  gint64 n_items = tp_bench_count_items (bench);

  tp_contest_get_times (bench->contest, who, &told.times);
  told.ratio = tp_contest_compare (bench->contest, who, base);
  told.items_per_second = 1e9 * (double) n_items / MAX (told.times.p50_ns, 1);
  told.verdict = find_verdict (bench, who, base, told.ratio);
  return told;
}

/* ---- JSON --------------------------------------------------------------- */

/* Of runs in flight, by what its busiest engine carries, if the plan says. */
static void
add_predicted (json_t *object, const TpBenchEntry *entry)
{
  const TpPlan *plan = tp_api_get_plan (entry->plan);

  if (entry->n_in_flight == 1)
    {
      json_object_set_new (object, "predicted_ns",
                           json_integer (tp_plan_get_run_ns (plan)));
      tp_cli_add_interval (object, "predicted_", entry->plan);
      return;
    }
  json_object_set_new (object, "predicted_ns",
                       plan->load_proof != NULL
                           ? json_integer (plan->load_proof->load_ns)
                           : json_null ());
  tp_cli_add_between (object, "predicted_",
                      plan->load_proof != NULL ? plan->load_proof->low_ns : -1,
                      plan->load_proof != NULL ? plan->load_proof->high_ns
                                               : -1);
}

static json_t *
told_to_json (const Told *told, const TpBench *bench)
{
  const TpContestTimes *times = &told->times;
  json_t *object = json_pack (
      "{s:o, s:o, s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:o}", "name",
      tp_cli_string (told->entry->name), "device",
      tp_cli_string (told->entry->device), "devices",
      tp_cli_count_devices (told->entry->plan), "runs", times->n, "median_ns",
      (json_int_t) times->p50_ns, "p90_ns", (json_int_t) times->p90_ns,
      "p95_ns", (json_int_t) times->p95_ns, "p99_ns",
      (json_int_t) times->p99_ns, "minimum_ns", (json_int_t) times->min_ns,
      "items_per_second", tp_cli_real (told->items_per_second));

  json_object_set_new (object, "in_flight",
                       json_integer (told->entry->n_in_flight));
  add_predicted (object, told->entry);
  json_object_set_new (object, "first_ns",
                       bench->is_simulated
                           ? json_null ()
                           : json_integer (told->entry->first_ns));
  json_object_set_new (object, "memory_bytes",
                       json_integer (told->entry->memory_bytes));
  json_object_set_new (object, "ratio", tp_cli_real (told->ratio.ratio));
  json_object_set_new (object, "low",
                       isinf (told->ratio.high)
                           ? json_null ()
                           : json_real (told->ratio.low));
  json_object_set_new (object, "high", tp_cli_real (told->ratio.high));
  json_object_set_new (object, "verdict", json_string (told->verdict));
  json_object_set_new (
      object, "differs",
      tp_origin_to_json (tp_api_get_plan (told->entry->plan)));
  return object;
}

static json_t *
name_to_json (const TpBench *bench, int who)
{
  return who < 0 ? json_null ()
                 : tp_cli_string (tp_bench_get (bench, who)->name);
}

static void
print_data (const TpBench *bench, const TpCli *cli, int base, int winner)
{
  const TpPlan *plan = tp_api_get_plan (tp_bench_get (bench, 0)->plan);
  json_t *list = json_array ();
  json_t *document = json_pack (
      "{s:s, s:o, s:b, s:i, s:i, s:I, s:I, s:o, s:I, s:b}", "format",
      "tplan-bench/1", "graph", tp_cli_string (plan->graph_name), "simulated",
      bench->is_simulated, "rounds",
      tp_contest_count_rounds (bench->contest), "sittings",
      tp_contest_count_sittings (bench->contest), "time_ns",
      (json_int_t) bench->time_ns, "items",
      (json_int_t) tp_bench_count_items (bench), "load",
      bench->load < 0 ? json_null () : json_real (bench->load),
      "involuntary_switches", (json_int_t) bench->n_switches, "busy",
      tp_bench_is_busy (bench));

  for (guint i = 0; i < bench->entries->len; i++)
    {
      Told told = tell (bench, (int) i, base);

      json_array_append_new (list, told_to_json (&told, bench));
    }
  json_object_set_new (document, "baseline", name_to_json (bench, base));
  json_object_set_new (document, "winner", name_to_json (bench, winner));
  json_object_set_new (document, "contestants", list);
  tp_cli_print_data (cli, document, "contestants");
}

/* ---- table -------------------------------------------------------------- */

static char *
format_interval (const TpContestRatio *ratio)
{
  if (isinf (ratio->high))
    return g_strdup ("-");
  return g_strdup_printf ("%.3f to %.3f", ratio->low, ratio->high);
}

static void
add_row (TpTable *table, const Told *told, const TpBench *bench)
{
  const TpContestTimes *times = &told->times;

  tp_table_add (table, g_strdup (told->entry->name),
                tp_cli_format_time (times->p50_ns),
                tp_cli_format_time (times->p90_ns),
                tp_cli_format_time (times->p95_ns),
                tp_cli_format_time (times->p99_ns),
                tp_cli_format_time (times->min_ns),
                g_strdup_printf ("%.4g", told->items_per_second),
                bench->is_simulated
                    ? g_strdup ("-")
                    : tp_cli_format_time (told->entry->first_ns),
                tp_cli_format_bytes (told->entry->memory_bytes),
                g_strdup_printf ("%.3f", told->ratio.ratio),
                format_interval (&told->ratio), g_strdup (told->verdict),
                tp_cli_format_devices (told->entry->plan));
}

static void
print_winner (const TpBench *bench, int winner)
{
  const char *simulated = bench->is_simulated ? " (simulated)" : "";

  if (bench->entries->len < 2)
    return;
  if (winner < 0)
    tp_cli_print ("no difference: nobody is faster than all others outside "
                  "the interval%s", simulated);
  else
    tp_cli_print ("winner: %s%s", tp_bench_get (bench, winner)->name,
                  simulated);
}

static void
print_table (const TpBench *bench, const TpCli *cli, int base, int winner)
{
  const char *const headers[]
      = { "NAME",     bench->is_simulated ? ">SIMULATED MEDIAN" : ">MEDIAN",
          ">P90",     ">P95",
          ">P99",     ">MIN",
          ">ITEMS/S", ">FIRST RESULT",
          ">MEMORY",  ">RATIO",
          "95 %",     "VERDICT",
          "PLACEMENT", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);

  for (guint i = 0; i < bench->entries->len; i++)
    {
      Told told = tell (bench, (int) i, base);

      add_row (table, &told, bench);
    }
  tp_table_print (table, cli);
  print_winner (bench, winner);
}

/* What plans for throughput said of that. */
static void
note_loads (const TpBench *bench, const TpCli *cli)
{
  for (guint i = 0; i < bench->entries->len; i++)
    {
      const TpBenchEntry *entry = tp_bench_get (bench, i);
      g_autofree char *loads
          = entry->n_in_flight == 1
                ? NULL : tp_cli_format_loads (tp_api_get_plan (entry->plan));

      if (loads != NULL)
        tp_cli_note (cli, "%s: at best %s", entry->name, loads);
    }
}

static void
note_machine (const TpBench *bench, const TpCli *cli)
{
  g_autofree char *time = tp_cli_format_time (bench->time_ns);

  tp_cli_note (cli, "%d rounds, %d sittings, %s; RATIO: time over that of '%s'",
               tp_contest_count_rounds (bench->contest),
               tp_contest_count_sittings (bench->contest), time,
               tp_bench_get (bench, tp_bench_find_base (bench))->name);
  tp_bench_note_busy (bench, cli);
}

/* ---- the verb ----------------------------------------------------------- */

static gboolean
add_model (TpBench *bench, TpCli *cli, const char *path, GError **error)
{
  TplanPlan *plan = tp_cli_load_or_plan (cli, path, error);

  if (plan == NULL)
    return FALSE;
  tp_bench_add (bench, "plan", plan);
  return tp_bench_add_singles (bench, cli, plan, error);
}

/* Drivers start threads, and measuring forks: all is planned before any is
 * opened. */
static gboolean
add_all (TpBench *bench, TpCli *cli, GError **error)
{
  int n_models = 0;

  cli->given &= ~TP_USES_THREADS; /* sessions have them, if not plans */
  for (int i = 0; i < cli->n_args; i++)
    n_models += !tp_cli_is_plan (cli->args[i]);
  if (n_models > 1)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%d models: bench compares plans of one: name one model, "
                   "or plans of it",
                   n_models);
      return FALSE;
    }
  for (int i = 0; i < cli->n_args; i++)
    if (!tp_cli_is_plan (cli->args[i])
        && !add_model (bench, cli, cli->args[i], error))
      return FALSE;
  for (int i = 0; i < cli->n_args; i++)
    if (tp_cli_is_plan (cli->args[i]))
      {
        TplanPlan *plan = n_models > 0
                              ? tp_cli_load_plan (cli, cli->args[i], error)
                              : tp_cli_load_or_plan (cli, cli->args[i], error);

        if (plan == NULL)
          return FALSE;
        tp_bench_add (bench, cli->args[i], plan);
      }
  if (bench_given.n_in_flight > 1)
    tp_bench_add_flights (bench, bench_given.n_in_flight);
  return TRUE;
}

/* 0: it is not. */
static int
get_given (int n)
{
  return n == NOT_GIVEN ? 0 : n;
}

static gboolean
read_options (TpBenchOptions *options, GError **error)
{
  *options
      = (TpBenchOptions){ .time_limit_ns = 10 * G_GINT64_CONSTANT (1000000000),
                          .n_rounds = get_given (bench_given.n_rounds) };
  if (bench_given.n_rounds != NOT_GIVEN
      && (bench_given.n_rounds < 1 || bench_given.n_rounds > 10000))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--rounds takes 1 to 10000");
      return FALSE;
    }
  if (bench_given.n_in_flight != NOT_GIVEN
      && (bench_given.n_in_flight < 2 || bench_given.n_in_flight > 64))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "--in-flight takes 2 to 64");
      return FALSE;
    }
  if (!tp_cli_watchdog_set (bench_given.watchdog, error))
    return FALSE;
  return bench_given.time_limit == NULL
         || tp_cli_parse_time (bench_given.time_limit, &options->time_limit_ns,
                               error);
}

/* Plans that run side by side are no contestants. */
static gboolean
is_mix (const TpCli *cli)
{
  for (int i = 0; i < cli->n_args; i++)
    if (tp_cli_is_mix (cli->args[i]))
      return TRUE;
  return FALSE;
}

static gboolean
bench_mix (TpCli *cli, const TpBenchOptions *options, GError **error)
{
  const TpMixBenchOptions own
      = { options->time_limit_ns, get_given (bench_given.n_in_flight) };

  cli->given &= ~TP_USES_THREADS; /* sessions have them */
  if (cli->n_args == 1 && bench_given.n_rounds == NOT_GIVEN)
    return tp_cli_check_flags (cli, cli->args[0], error)
           && tp_cli_bench_mix (cli, cli->args[0], &own, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "plans of several graphs run side by side, not in turns: give "
               "their file alone, without --rounds");
  return FALSE;
}

static gboolean
bench_run (TpCli *cli, GError **error)
{
  g_auto (TpBench) bench;
  TpBenchOptions options;
  int base, winner;

  tp_bench_init (&bench);
  if (!read_options (&options, error))
    return FALSE;
  if (is_mix (cli))
    return bench_mix (cli, &options, error);
  if (!add_all (&bench, cli, error)
      || !tp_bench_run (&bench, cli, &options, error))
    return FALSE;
  tp_cli_keep_bench (cli, &bench);
  base = tp_bench_find_base (&bench);
  winner = tp_contest_find_winner (bench.contest);
  if (cli->format != TP_FORMAT_TABLE)
    print_data (&bench, cli, base, winner);
  else
    print_table (&bench, cli, base, winner);
  if (cli->format == TP_FORMAT_TABLE)
    {
      note_machine (&bench, cli);
      note_loads (&bench, cli);
    }
  if (*tp_cli_get_cancelled ())
    cli->exit_code = TP_EXIT_INTERRUPTED;
  return TRUE;
}

const TpCommand tp_command_bench = {
  .name = "bench",
  .arguments = "MODEL|PLAN...",
  .summary = "Runs plans in turns and tells which is faster",
  .details = "  tplan bench model.onnx p.json: its plan, all on each device, p",
  .n_args_min = 1,
  .n_args_max = TP_CLI_ANY,
  .uses = TP_USES_PLANNING | TP_USES_RATES | TP_USES_FORMAT | TP_USES_SEED,
  .options = bench_options,
  .run = bench_run,
};
