/* cmd-run.c: executes a plan, times it, and compares it with the references. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "api/session.h"
#include "cli/account.h"
#include "cli/accuracy.h"
#include "cli/csv.h"
#include "cli/device-bytes.h"
#include "cli/drivers.h"
#include "cli/keep.h"
#include "cli/mix-run.h"
#include "cli/origin.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/gantt.h"
#include "cli/profile.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "cli/run-data.h"
#include "cli/text.h"
#include "cli/trace.h"
#include "cli/unit-check.h"
#include "cli/values.h"
#include "cli/watchdog.h"

#include <math.h>
#include <string.h>

/* A prediction that is off by more is accounted for without being asked. */
#define ERROR_TOLD 0.05

#define RUNS 10
#define NOT_GIVEN G_MININT

static struct
{
  char **inputs;
  char *output_folder;
  int repeat;
  int warmup;
  gboolean check;
  gboolean check_ops;
  gboolean account;
  double tolerance;
  char *duration;
  gint64 duration_ns;
  char *wait;
  gint64 wait_ns;
  char *trace;
  gboolean profile;
  TpProfileOptions profile_options;
  char *watchdog;
  gboolean fallback;
  gboolean on_host;
} run_given
    = { .repeat = NOT_GIVEN, .warmup = NOT_GIVEN, .tolerance = TP_RUN_DERIVED, .profile_options = { .n_top = 10 } };

static const GOptionEntry run_options[] = {
  { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &run_given.inputs,
    "value of an input: FILE or FILE:KEY (else random)", "NAME=FILE" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &run_given.output_folder,
    "write each output to DIR/NAME.npy", "DIR" },
  { "repeat", 'n', 0, G_OPTION_ARG_INT, &run_given.repeat, "timed runs (10)",
    "N" },
  { "duration", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING,
    &run_given.duration, NULL, "TIME" },
  { "wait", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &run_given.wait, NULL,
    "TIME" },
  { "warmup", 0, 0, G_OPTION_ARG_INT, &run_given.warmup,
    "runs before them (50 ms of them, 3 at least)", "N" },
  { "check", 0, 0, G_OPTION_ARG_NONE, &run_given.check,
    "compare outputs with the references in double", NULL },
  { "check-ops", 0, 0, G_OPTION_ARG_NONE, &run_given.check_ops,
    "compare each op by itself, to find the one to blame", NULL },
  { "tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &run_given.tolerance,
    "largest error --check allows (1e-4, or rounding's)", "X" },
  { "account", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,
    &run_given.account, NULL, NULL },
  { "profile", 0, 0, G_OPTION_ARG_NONE, &run_given.profile,
    "where the time goes, step by step", NULL },
  { "sort", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING,
    &run_given.profile_options.sort, NULL, "KEY" },
  { "top", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT,
    &run_given.profile_options.n_top, NULL, "N" },
  { "trace", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME,
    &run_given.trace, NULL, "FILE" },
  { "watchdog", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING,
    &run_given.watchdog, NULL, "TIME" },
  { "fallback", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,
    &run_given.fallback, NULL, NULL },
  { "on-host", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &run_given.on_host,
    NULL, "" },
  TP_GRAPH_OPTION,
  { "pin", 'p', 0, G_OPTION_ARG_STRING_ARRAY, &tp_cli_planning.pins,
    "of a model: pin ops; --accuracy=relaxed", "OP=DEVICE" },
  TP_ACCURACY_OPTION,
  { 0 },
};

typedef struct
{
  TplanPlan *plan;
  TplanSession *session;
  TpRunData data;
  TpRepeat repeat;
  TpAccount account;          /* where it was made */
  TpRunErrors errors;         /* of --check */
  TpRunErrors op_errors;      /* of --check-ops */
  gboolean is_good;           /* of both */
} Run;

static void
run_clear (Run *run)
{
  tp_account_clear (&run->account);
  tp_cli_watchdog_watch (NULL);
  tplan_session_free (run->session);
  tp_run_data_clear (&run->data);
  tplan_plan_free (run->plan);
  tp_repeat_clear (&run->repeat);
}

static gboolean
run_once (Run *run, gboolean is_profiled, GError **error)
{
  return tp_repeat_once (run->session, &run->data, is_profiled, error);
}

/* As often as was asked for, or as there is time for. */
static gboolean
run_repeat (Run *run, const TpCli *cli, GError **error)
{
  gboolean is_timed
      = run_given.duration_ns > 0 && run_given.repeat == NOT_GIVEN;
  int n_runs = run_given.repeat == NOT_GIVEN ? RUNS : run_given.repeat;
  const TpRepeatJob job = {
    .session = run->session,
    .data = &run->data,
    .n_runs = is_timed ? 0 : n_runs,
    .n_warmup = run_given.warmup == NOT_GIVEN ? TP_REPEAT_WARM
                                              : run_given.warmup,
    .duration_ns = is_timed ? run_given.duration_ns : 0,
    .wait_ns = run_given.wait_ns,
  };

  return tp_repeat_run (&run->repeat, &job, cli, error);
}

static gint64
run_get_quantile (const Run *run, double q)
{
  return tp_run_times_get_quantile (&run->repeat.times, q);
}

/* Part of the runs in which another process took a processor. */
static double
run_get_preempted (const Run *run)
{
  return (double) run->repeat.times.n_preempted / run->repeat.times.all_ns->len;
}

/* Of predicted against measured: +0.1 says 10 % too long. */
static double
run_get_error (const Run *run)
{
  double median = run_get_quantile (run, 0.5);

  return median > 0 ? tplan_plan_get_run_ns (run->plan) / median - 1 : 0;
}

static gboolean
run_make_account (Run *run, GError **error)
{
  run->account = (TpAccount){
    .plan = run->plan,
    .session = run->session,
    .data = &run->data,
    .measured_ns = run_get_quantile (run, 0.5),
    .preempted = run_get_preempted (run),
  };
  /* a plan foretells its own steps alone */
  return tplan_session_get_fallback (run->session) != NULL
         || (!run_given.account && !run_given.profile && fabs (run_get_error (run)) <= ERROR_TOLD)
         || tp_account_make (&run->account, error);
}

/* What of it, by JSON key and by name in the table. */
static const struct
{
  const char *key, *name;
  gsize offset;
} run_memory[] = {
  { "peak_bytes", "peak memory",
    G_STRUCT_OFFSET (TpSessionMemory, arena_bytes) },
  { "weight_bytes", "weights",
    G_STRUCT_OFFSET (TpSessionMemory, weight_bytes) },
  { "workspace_bytes", "workspace",
    G_STRUCT_OFFSET (TpSessionMemory, workspace_bytes) },
};

/* Entry @which of run_memory[], per device; g_free (). */
static gint64 *
run_list_memory (const Run *run, gsize which)
{
  int n = tp_api_get_session_plan (run->session)->n_devices;
  gint64 *bytes = g_new (gint64, n + 1);

  for (int i = 0; i < n; i++)
    {
      TpSessionMemory memory;

      tp_session_get_memory (tp_api_get_session (run->session), i, &memory);
      bytes[i] = G_STRUCT_MEMBER (gint64, &memory, run_memory[which].offset);
    }
  return bytes;
}

/* Whether the median is in the interval of what was predicted. */
static json_t *
judge_to_json (const Run *run)
{
  const char *verdict
      = tp_cli_judge_interval (run->plan, run_get_quantile (run, 0.5));

  return *verdict == 0 ? json_null ()
                       : json_boolean (strstr (verdict, "within") != NULL);
}

static void
run_print_data (const Run *run, const TpCli *cli)
{
  const TpPlan *plan = tp_api_get_plan (run->plan);
  json_t *document = json_pack (
      "{s:s, s:o, s:i, s:I, s:I, s:f, s:b}", "format", "tplan-run/1", "graph",
      tp_cli_string (plan->graph_name), "runs", (int) run->repeat.times.all_ns->len,
      "median_ns", (json_int_t) run_get_quantile (run, 0.5), "predicted_ns",
      (json_int_t) tplan_plan_get_run_ns (run->plan), "error",
      run_get_error (run), "simulated", plan->is_simulated);

  tp_run_times_add_json (&run->repeat.times, tplan_plan_get_graph (run->plan),
                         document);

  for (gsize i = 0; i < G_N_ELEMENTS (run_memory); i++)
    {
      g_autofree gint64 *bytes = run_list_memory (run, i);

      json_object_set_new (document, run_memory[i].key,
                           tp_cli_device_bytes_to_json (
                               tp_api_get_session_plan (run->session), bytes));
    }
  tp_cli_add_interval (document, "predicted_", run->plan);
  json_object_set_new (document, "within", judge_to_json (run));
  json_object_set_new (document, "differs", tp_origin_to_json (plan));
  json_object_set_new (document, "energy", tp_run_energy_to_json (&run->repeat.energy));
  if (tplan_session_get_fallback (run->session) != NULL)
    json_object_set_new (
        document, "fallback",
        tp_cli_string (tplan_session_get_fallback (run->session)));
  if (run_given.check)
    {
      json_object_set_new (document, "max_abs_error",
                           tp_cli_real (run->errors.max_abs_error));
      json_object_set_new (document, "max_rel_error",
                           tp_cli_real (run->errors.max_rel_error));
      json_object_set_new (document, "limit",
                           tp_cli_real (run->errors.limit));
      json_object_set_new (document, "flushed",
                           json_integer (run->errors.n_flushed));
      json_object_set_new (document, "worst_op",
                           tp_cli_string (run_given.check_ops
                                              ? run->op_errors.worst_op
                                              : run->errors.worst_op));
    }
  if (run_given.check_ops)
    json_object_set_new (document, "max_op_error",
                         tp_cli_real (run->op_errors.max_rel_error));
  if (run->account.parts != NULL)
    json_object_set_new (document, "account",
                         tp_account_to_json (&run->account));
  if (run_given.profile && run->account.parts != NULL)
    json_object_set_new (document, "profile",
                         tp_profile_to_json (&run->account,
                                             &run_given.profile_options));
  if (run_given.check || run_given.check_ops)
    json_object_set_new (document, "good", json_boolean (run->is_good));
  tp_cli_print_data (
      cli, document,
      json_object_get (document, "profile") != NULL ? "profile" : NULL);
}

static char *
format_times (const Run *run)
{
  g_autofree char *median
      = tp_cli_format_time (run_get_quantile (run, 0.5));
  g_autofree char *p10 = tp_cli_format_time (run_get_quantile (run, 0.1));
  g_autofree char *p90 = tp_cli_format_time (run_get_quantile (run, 0.9));

  return g_strdup_printf ("%s median of %u%s, %s to %s", median,
                          run->repeat.times.all_ns->len,
                          tp_cli_simulated (run->plan), p10, p90);
}

static void
add_account (TpTable *table, const TpAccount *account)
{
  g_auto (GStrv) lines = tp_account_to_lines (account);
  char *step;

  for (int i = 0; lines[i] != NULL; i++)
    tp_table_add (table, g_strdup (i == 0 ? "account" : ""),
                  g_strdup (lines[i]));
  for (int i = 0; i < TP_ACCOUNT_WORST; i++)
    if ((step = tp_account_step_to_text (account, i)) != NULL)
      tp_table_add (table, g_strdup ("worst step"), step);
}

static char *
format_placement (const Run *run)
{
  const TpPlan *plan = tp_api_get_session_plan (run->session);

  return tplan_session_get_fallback (run->session) == NULL
             ? tp_cli_format_devices (run->plan)
             : g_strdup_printf ("all on %s, which was not the plan",
                                plan->devices[0]);
}

static void
run_print_table (const Run *run, TpCli *cli)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  g_autofree char *predicted
      = tp_cli_format_time (tplan_plan_get_run_ns (run->plan));
  g_autofree char *interval = tp_cli_format_interval (run->plan);

  tp_table_add (table, g_strdup ("graph"),
                g_strdup (tp_api_get_plan (run->plan)->graph_name));
  tp_table_add (table, g_strdup ("placement"), format_placement (run));
  tp_table_add (table, g_strdup ("time"), format_times (run));
  tp_table_add (table, g_strdup ("predicted"),
                g_strdup_printf (
                    "%s%s, %+.1f %%%s", predicted, interval,
                    100 * run_get_error (run),
                    tp_cli_judge_interval (run->plan,
                                           run_get_quantile (run, 0.5))));
  tp_run_times_add_calm (&run->repeat.times, run->plan, table);
  tp_run_energy_add_row (&run->repeat.energy, table);
  tp_run_times_add_rows (&run->repeat.times, tplan_plan_get_graph (run->plan), table);
  if (run_given.account || fabs (run_get_error (run)) > ERROR_TOLD)
    add_account (table, &run->account);
  for (gsize i = 0; i < G_N_ELEMENTS (run_memory); i++)
    {
      g_autofree gint64 *bytes = run_list_memory (run, i);

      tp_table_add (table, g_strdup (run_memory[i].name),
                    tp_cli_format_device_bytes (
                        tp_api_get_session_plan (run->session), bytes));
    }
  if (run_given.check)
    tp_table_add (table, g_strdup ("check"),
                  tp_run_errors_format (&run->errors));
  if (run_given.check_ops)
    tp_table_add (table, g_strdup ("each op"),
                  tp_run_errors_format (&run->op_errors));
  tp_table_print (table, cli);
  if (run_given.profile && run->account.parts != NULL)
    {
      tp_gantt_print (tp_api_get_session_plan (run->session),
                      tp_api_get_session (run->session), cli);
      tp_profile_print (&run->account, cli, &run_given.profile_options);
    }
}

static gboolean
run_write_trace (Run *run, TpCli *cli, GError **error)
{
  g_autofree char *trace = NULL;

  if (run_given.trace == NULL)
    return TRUE;
  if (!run_once (run, TRUE, error))
    return FALSE;
  trace = tp_trace_to_json (tp_api_get_session_plan (run->session),
                            run->data.graph,
                            tp_api_get_session (run->session));
  return tp_cli_write_output (cli, run_given.trace, trace, strlen (trace),
                              error);
}

static gboolean
run_check (Run *run, TpCli *cli, GError **error)
{
  double slack = run->data.is_relaxed ? TP_RUN_RELAXED : 1;

  run->op_errors.limit = run->op_errors.bounds.limit
      = run_given.tolerance >= 0 ? run_given.tolerance : slack * TP_RUN_LIMIT;
  run->op_errors.bounds.n_roundings
      = run_given.tolerance >= 0 ? 0 : slack * TP_RUN_ROUNDINGS;
  if ((run_given.check
       && (!tp_repeat_first (run->session, &run->data, error)
           || !tp_run_data_check (&run->data, run_given.tolerance, &run->errors,
                              error)))
      || (run_given.check_ops
          && !tp_unit_check (&run->data, tp_api_get_plan (run->plan),
                             &cli->device_options, &run->op_errors, error)))
    return FALSE;
  run->is_good = tp_run_errors_are_good (&run->errors)
                 && tp_run_errors_are_good (&run->op_errors);
  return TRUE;
}

static gboolean
run_start (Run *run, TpCli *cli, GError **error)
{
  const TplanSessionOptions options
      = { .n_threads = cli->device_options.n_threads,
          .falls_back = run_given.fallback,
          .is_on_host = run_given.on_host };

  if (!run_given.on_host)
    tp_cli_meet_drivers (
        cli, (const char *const *) tp_api_get_plan (run->plan)->devices);
  if (run_given.fallback && !run_given.on_host)
    tp_cli_watchdog_restart ("--on-host");
  tp_origin_note (cli, tp_api_get_plan (run->plan), cli->args[0]);
  run->session = tplan_session_new_full (run->plan, &options, error);
  tp_cli_catch_interrupts (); /* drivers compile for minutes, with nothing to keep */
  return run->session != NULL;
}

static void
run_tell_fallback (const Run *run, const TpCli *cli)
{
  const char *why = tplan_session_get_fallback (run->session);

  if (why != NULL && !run_given.on_host)
    tp_cli_warn (cli, "all was run again on the host: %s", why);
}

/* What the host took in place of a device says nothing of the plan, nor does what
 * a machine took that was another one. */
static void
keep_runs (const Run *run, TpCli *cli)
{
  tp_apart_note (&run->repeat.apart, cli);
  if (tplan_session_get_fallback (run->session) == NULL)
    tp_cli_keep_runs (cli, run->plan,
                      (gint64 *) (void *) run->repeat.times.calm_ns->data,
                      (int) run->repeat.times.calm_ns->len,
                      (int) run->repeat.times.all_ns->len);
}

/* Loads, makes ready, runs, and writes what was asked for. */
static gboolean
run_do (Run *run, TpCli *cli, GError **error)
{
  const TpGraph *graph;

  cli->given &= ~TP_USES_THREADS; /* the session has them, if not the plan */
  run->plan = tp_cli_load_or_plan (cli, cli->args[0], error);
  if (run->plan == NULL)
    return FALSE;
  graph = tp_api_get_graph (tplan_plan_get_graph (run->plan));
  if (!tp_run_data_init (&run->data, graph, run_given.inputs, cli->seed, error)
      || (run_given.output_folder != NULL
          && !tp_run_data_check_folder (&run->data, cli,
                                        run_given.output_folder, error)))
    return FALSE;
  run->data.is_relaxed = tp_cli_count_relaxed (tp_api_get_plan (run->plan)) > 0;
  if (!run_start (run, cli, error) || !run_repeat (run, cli, error))
    return FALSE;
  keep_runs (run, cli);
  /* before more runs change what states there are */
  return (run_given.output_folder == NULL
          || tp_run_data_save (&run->data, cli, run_given.output_folder,
                               error))
         && run_make_account (run, error)
         && run_write_trace (run, cli, error)
         && run_check (run, cli, error);
}

static gboolean
is_count (int given, int least)
{
  return given == NOT_GIVEN || (given >= least && given <= TP_REPEAT_MAX);
}

static gboolean
run_check_counts (GError **error)
{
  if (is_count (run_given.repeat, 1) && is_count (run_given.warmup, 0)
      && (run_given.tolerance == TP_RUN_DERIVED || run_given.tolerance >= 0))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "--repeat takes 1 to 1000000, --warmup 0 to 1000000, "
               "--tolerance no less than 0");
  return FALSE;
}

static gboolean
run_check_options (TpCli *cli, GError **error)
{
  if (!run_check_counts (error)
      || (run_given.duration != NULL
          && !tp_cli_parse_time (run_given.duration, &run_given.duration_ns,
                                 error))
      || (run_given.wait != NULL
          && !tp_cli_parse_time (run_given.wait, &run_given.wait_ns, error))
      || !tp_profile_check_options (&run_given.profile_options, error)
      || !tp_cli_watchdog_set (run_given.watchdog, error))
    return FALSE;
  return run_given.trace == NULL
         || tp_cli_check_output (cli, run_given.trace, error);
}

/* What is for one plan, of what was given; NULL: nothing. */
static const char *
find_single_option (void)
{
  return run_given.check_ops                 ? "check-ops"
         : run_given.account                 ? "account"
         : run_given.profile                 ? "profile"
         : run_given.trace != NULL           ? "trace"
         : run_given.duration != NULL        ? "duration"
         : run_given.wait != NULL            ? "wait"
         : run_given.watchdog != NULL        ? "watchdog"
         : run_given.fallback                ? "fallback"
                                             : NULL;
}

static gboolean
run_mix (TpCli *cli, GError **error)
{
  const char *single = find_single_option ();
  const TpMixRunOptions options = {
    .inputs = run_given.inputs,
    .output_folder = run_given.output_folder,
    .n_rounds = run_given.repeat == NOT_GIVEN ? 0 : run_given.repeat,
    .n_warmup = run_given.warmup == NOT_GIVEN ? 1 : run_given.warmup,
    .check = run_given.check,
    .tolerance = run_given.tolerance,
  };

  cli->given &= ~TP_USES_THREADS; /* sessions have them */
  if (single == NULL)
    return tp_cli_check_flags (cli, cli->args[0], error)
           && tp_cli_run_mix (cli, cli->args[0], &options, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%s has plans of several graphs, and --%s is for one: say which "
               "with --part", cli->args[0], single);
  return FALSE;
}

static gboolean
run_run (TpCli *cli, GError **error)
{
  Run run = { 0 };
  gboolean good = run_check_options (cli, error);

  if (good && tp_cli_is_whole_mix (cli->args[0]))
    return run_mix (cli, error);
  tp_repeat_init (&run.repeat);
  good = good && run_do (&run, cli, error);
  if (good)
    run_tell_fallback (&run, cli);
  if (good && cli->format != TP_FORMAT_TABLE)
    run_print_data (&run, cli);
  else if (good)
    run_print_table (&run, cli);
  if (good && !run.is_good)
    cli->exit_code = TP_EXIT_FAILED;
  else if (good && *tp_cli_get_cancelled ())
    cli->exit_code = TP_EXIT_INTERRUPTED;
  run_clear (&run);
  return good;
}

const TpCommand tp_command_run = {
  .name = "run",
  .arguments = "PLAN|MODEL",
  .summary = "Executes a plan, times it and checks its results",
  .details = "      --watchdog=TIME --fallback  end, or run on the host, where a "
             "device hangs\n"
             "      --duration=TIME --wait=TIME --trace=FILE --account "
             "--sort=KEY --top=N",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_FORMAT | TP_USES_SEED | TP_USES_FORCE,
  .options = run_options,
  .run = run_run,
};
