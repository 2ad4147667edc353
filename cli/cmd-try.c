/* cmd-try.c: all there is to do with a model once: measure, plan, check, run
 * against single devices, and keep the plan. */
#include "config.h"

#include "api/graph.h"
#include "api/plan.h"
#include "calib/calib.h"
#include "cli/bench.h"
#include "cli/csv.h"
#include "cli/files.h"
#include "cli/hint.h"
#include "cli/hint-words.h"
#include "cli/keep.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/planning.h"
#include "cli/predicted.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/text.h"
#include "cli/values.h"
#include "cli/verify.h"

#include <math.h>
#include <string.h>

static struct
{
  char *time_limit, *bench_limit;
} given;

static const GOptionEntry try_options[] = {
  { "time-limit", 0, 0, G_OPTION_ARG_STRING, &given.time_limit,
    "measure kernels for at most TIME (30s)", "TIME" },
  { "bench-limit", 0, 0, G_OPTION_ARG_STRING, &given.bench_limit,
    "then run for at most TIME (5s); --accuracy=relaxed", "TIME" },
  TP_ACCURACY_OPTION,
  { 0 },
};

typedef struct
{
  TpCli *cli;
  const char *model;
  char *path;                 /* of the plan */
  char *page;                 /* of its report */
  gboolean replaces;          /* one of the same model */
  gint64 time_limit_ns, bench_limit_ns;
  TplanGraph *graph;
  TpBench bench;              /* the plan is the first */
  TpVerified verified;
  TplanPlan *plan;            /* what is written; (borrowed) */
  int chosen;                 /* of the bench */
  int n_estimated;            /* times that are not measured */
  int n_lost;                 /* devices that could not be measured */
  TpCalibReport measured;     /* what was measured now, and in which company */
} Try;

static void
try_clear (Try *self)
{
  tp_bench_clear (&self->bench);
  tp_verified_clear (&self->verified);
  tplan_graph_free (self->graph);
  g_free (self->path);
  g_free (self->page);
}

/* ---- before anything takes time ------------------------------------------- */

static gboolean
read_times (Try *self, GError **error)
{
  self->time_limit_ns = 30 * G_GINT64_CONSTANT (1000000000);
  self->bench_limit_ns = 5 * G_GINT64_CONSTANT (1000000000);
  return (given.time_limit == NULL
          || tp_cli_parse_time (given.time_limit, &self->time_limit_ns, error))
         && (given.bench_limit == NULL
             || tp_cli_parse_time (given.bench_limit, &self->bench_limit_ns,
                                   error));
}

/* With a plan of this model its report is ours to replace, too. */
static gboolean
choose_page (Try *self, GError **error)
{
  self->page = tp_report_name (self->path);
  return self->replaces && tp_report_is_page (self->page)
             ? tp_cli_check_writable (self->page, error)
             : tp_cli_check_output (self->cli, self->page, error);
}

/* A plan of this model is ours to replace; nothing else is without -f. */
static gboolean
choose_path (Try *self, GError **error)
{
  const TpCli *cli = self->cli;

  if (cli->outputs[0] != NULL && cli->outputs[1] != NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "try writes one plan: give -o once, and draw it with `tplan "
                   "view --help`");
      return FALSE;
    }
  self->path = cli->outputs[0] != NULL ? g_strdup (cli->outputs[0])
                                       : tp_cli_name_plan (self->model);
  if (strcmp (self->path, "-") == 0
      || !g_str_has_suffix (self->path, ".json"))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "'%s': the suffix must be .json, for a plan", self->path);
      return FALSE;
    }
  self->replaces = tp_cli_is_plan_of (self->path, self->model);
  return (self->replaces ? tp_cli_check_writable (self->path, error)
                         : tp_cli_check_output (cli, self->path, error))
         && choose_page (self, error);
}

/* ---- the steps ------------------------------------------------------------ */

/* What the table lacks, if it lacks anything; a figure that is not the best this
 * machine could give is left for `tplan calibrate`. */
static gboolean
measure (Try *self, GError **error)
{
  g_auto (TpMeasured) before = { 0 };
  g_auto (TpMeasured) after = { 0 };
  g_autofree char *limit = tp_cli_format_time (self->time_limit_ns);

  if (!tp_cli_measure (self->cli, self->graph,
                       &(TpWatch) { .time_limit_ns = 1 }, &before, error))
    return FALSE;
  if (before.n_estimated == 0)
    return TRUE;
  tp_cli_note (self->cli, "measuring: %d of %d times are not known yet; %s at "
                          "most",
               before.n_estimated, before.n_estimated + before.n_measured,
               limit);
  if (!tp_cli_measure (self->cli, self->graph,
                       &(TpWatch) { .time_limit_ns = self->time_limit_ns,
                                    .is_brief = TRUE },
                       &after, error))
    return FALSE;
  self->n_estimated = after.n_estimated;
  self->n_lost = after.report.n_lost;
  self->measured = after.report;
  return TRUE;
}

/* By code that shares nothing with the planner. */
static gboolean
check (const TplanPlan *plan, GError **error)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (tp_api_check_plan (plan, reasons))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "the plan is not valid, which is a bug of tplan: %s",
               reasons->len > 0 ? (const char *) reasons->pdata[0] : "");
  return FALSE;
}

static gboolean
run (Try *self, TplanPlan *plan, GError **error)
{
  const TpBenchOptions options
      = { .time_limit_ns = self->bench_limit_ns, .n_rounds_least = 6 };

  tp_bench_add (&self->bench, "plan", plan);
  /* A driver that ended where it was measured would end this process. */
  if (self->n_lost == 0
      && !tp_bench_add_singles (&self->bench, self->cli, plan, error))
    return FALSE;
  tp_cli_note (self->cli, "running it%s",
               self->bench.entries->len > 1 ? ", and all on each device" : "");
  if (!tp_bench_run (&self->bench, self->cli, &options, error))
    return FALSE;
  tp_cli_keep_bench (self->cli, &self->bench);
  tp_verified_judge (&self->bench, &self->verified);
  self->chosen = self->verified.verdict.chosen;
  self->plan = tp_bench_get (&self->bench, self->chosen)->plan;
  return TRUE;
}

static gboolean
write_plan (Try *self, GError **error)
{
  const TpPictureOptions picture = TP_PICTURE_DEFAULTS;
  TpCli cli = *self->cli;
  g_autoptr (GBytes) bytes = tp_picture_make (
      self->path, tp_api_get_plan (self->plan),
      tp_api_get_graph (tplan_plan_get_graph (self->plan)), &picture, error);

  cli.is_forced |= self->replaces;
  cli.is_quiet = TRUE;        /* the table tells */
  return bytes != NULL
         && tp_cli_write_output (&cli, self->path,
                                 g_bytes_get_data (bytes, NULL),
                                 g_bytes_get_size (bytes), error);
}

/* What was chosen, with its steps as they ran; without them where there is no time
 * for that. */
static GBytes *
make_page (Try *self, GError **error)
{
  TpReportOptions options = { .is_measured = !*tp_cli_get_cancelled () };
  gpointer plans[] = { self->plan };
  const GPtrArray list = { plans, 1 };
  g_autoptr (GError) local = NULL;
  GBytes *page = tp_report_make (self->cli, &list, &options, &local);

  if (page == NULL && *tp_cli_get_cancelled ())
    {
      options.is_measured = FALSE;
      return tp_report_make (self->cli, &list, &options, error);
    }
  if (page == NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  return page;
}

static gboolean
write_page (Try *self, GError **error)
{
  TpCli cli = *self->cli;
  g_autoptr (GBytes) page = make_page (self, error);

  cli.is_forced |= self->replaces && tp_report_is_page (self->page);
  cli.is_quiet = TRUE;
  return page != NULL
         && tp_cli_write_output (&cli, self->page,
                                 g_bytes_get_data (page, NULL),
                                 g_bytes_get_size (page), error);
}

static gboolean
try_all (Try *self, GError **error)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (self->cli, error);
  TplanPlan *plan;

  if (dims == NULL || !read_times (self, error) || !choose_path (self, error))
    return FALSE;
  self->graph = tp_cli_load_model (self->cli, self->model, dims, error);
  if (self->graph == NULL || !measure (self, error))
    return FALSE;
  plan = tp_cli_plan_graph (self->cli, self->graph, error);
  return plan != NULL && run (self, plan, error) && check (self->plan, error)
         && write_plan (self, error) && write_page (self, error);
}

/* ---- what is told of it --------------------------------------------------- */

/* How sure the times are that the plan was made by, of all ops and devices; and what
 * strained those that were measured for it. */
static TpCalibReport
grade (const Try *self)
{
  const TpCosts *costs = tp_api_get_plan (self->plan)->costs;
  TpCalibReport report = { .n_samples = self->measured.n_samples,
                           .n_apart = self->measured.n_apart,
                           .n_contended = self->measured.n_contended };

  for (int i = 0; i < costs->n_nodes * costs->n_devices; i++)
    {
      const TpCost *cost = &costs->nodes[i];

      if (cost->time_ns == TP_COST_NONE || cost->is_estimated)
        continue;
      report.time_ns += cost->time_ns;
      report.half_ns += cost->spread_ns;
    }
  return report;
}

static char *
format_grade (const Try *self)
{
  TpCalibReport report = grade (self);

  if (report.time_ns <= 0)
    return g_strdup (self->n_estimated > 0
                         ? "nothing measured: all times are estimates"
                         : "nothing to measure: simulated devices");
  if (self->n_estimated > 0)
    return g_strdup_printf (
        "grade %c, times within +-%.1f %%; %d are estimates still: `tplan "
        "calibrate` measures them",
        tp_calib_report_get_grade (&report),
        100 * tp_calib_report_get_spread (&report), self->n_estimated);
  return g_strdup_printf (
      "grade %c, times within +-%.1f %%%s", tp_calib_report_get_grade (&report),
      100 * tp_calib_report_get_spread (&report),
      tp_calib_report_get_grade (&report) > 'B'
          ? ", measured in brief: `tplan calibrate` takes its time"
          : "");
}

static char *
format_choice (const Try *self)
{
  g_autofree char *devices = tp_cli_format_devices (self->plan);

  return g_strdup_printf (
      "%s%s: %s", devices, tp_cli_simulated (self->plan),
      self->chosen > 0 ? "when run, faster here than what was planned"
      : tplan_plan_get_cost_ns (self->plan)
              == tplan_plan_get_bound_ns (self->plan)
          ? "proved least"
      : tp_api_get_plan (self->plan)->tie_price_ns > 0
          ? "within noise of the least"
          : "near the least");
}

static char *
format_measured (const Try *self)
{
  gint64 predicted_ns = tplan_plan_get_run_ns (self->plan);
  gint64 half_ns = tp_contest_get_half_ns (self->bench.contest, self->chosen);
  TpContestTimes times;
  g_autofree char *measured = NULL, *predicted = NULL, *half = NULL;
  g_autofree char *interval = tp_cli_format_interval (self->plan);

  tp_contest_get_times (self->bench.contest, self->chosen, &times);
  measured = tp_cli_format_time (times.p50_ns);
  predicted = tp_cli_format_time (predicted_ns);
  half = tp_cli_format_time (MAX (half_ns, 0));
  return g_strdup_printf (
      "%s%s%s, median of %d runs%s; predicted %s%s, %+.1f %%", measured,
      half_ns >= 0 ? " +-" : "", half_ns >= 0 ? half : "", times.n,
      !self->bench.is_simulated && tp_bench_is_busy (&self->bench)
          ? " on a busy machine"
          : "",
      predicted, interval,
      times.p50_ns > 0
          ? 100.0 * ((double) predicted_ns / (double) times.p50_ns - 1)
          : 0.0);
}

/* One contestant beside the chosen one. */
static void
append_rival (const Try *self, int who, GString *text)
{
  const TpBenchEntry *entry = tp_bench_get (&self->bench, who);
  TpContestTimes times;
  TpContestRatio ratio
      = tp_contest_compare (self->bench.contest, who, self->chosen);
  g_autofree char *time = NULL;

  tp_contest_get_times (self->bench.contest, who, &times);
  time = tp_cli_format_time (times.p50_ns);
  g_string_append_printf (text, "%s%s%s takes %s, %.2f times as long",
                          text->len == 0 ? "" : "; ",
                          entry->device != NULL ? "all on " : "the plan for ",
                          entry->device != NULL ? entry->device : "both", time,
                          ratio.ratio);
  if (!isinf (ratio.high))
    g_string_append_printf (text, " (%.2f to %.2f)", ratio.low, ratio.high);
}

static char *
format_rivals (const Try *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *own = tp_bench_get (&self->bench, self->chosen)->device;

  for (guint i = 0; i < self->bench.entries->len; i++)
    if ((int) i != self->chosen)
      append_rival (self, (int) i, text);
  if (text->len == 0)
    g_string_append (text, "no other device can run it all");
  if (own != NULL)
    g_string_append_printf (text, "; this is all on %s", own);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
print_table (const Try *self)
{
  static const char *const headers[] = { "NAME", "VALUE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  g_autofree char *word = tp_hint_quote (self->path);
  g_autofree char *quality = format_grade (self);

  tp_table_add (table, g_strdup ("chosen"), format_choice (self));
  tp_table_add (table, g_strdup ("time"), format_measured (self));
  tp_table_add (table, g_strdup ("against"), format_rivals (self));
  tp_table_add (table, g_strdup ("calibration"), tp_hint_complete (quality));
  tp_table_add (table, g_strdup ("plan"),
                g_strdup_printf ("%s%s: run it with `tplan run %s`; %s shows it",
                                 self->path,
                                 self->replaces ? ", replaced" : "", word,
                                 self->page));
  tp_table_print (table, self->cli);
}

static json_t *
rivals_to_json (const Try *self)
{
  json_t *list = json_array ();

  for (guint i = 0; i < self->bench.entries->len; i++)
    {
      const TpBenchEntry *entry = tp_bench_get (&self->bench, (int) i);
      TpContestTimes times;
      TpContestRatio ratio
          = tp_contest_compare (self->bench.contest, (int) i, self->chosen);

      tp_contest_get_times (self->bench.contest, (int) i, &times);
      json_array_append_new (
          list, json_pack ("{s:o, s:o, s:i, s:I, s:I, s:o, s:o, s:o}", "name",
                           tp_cli_string (entry->name), "device",
                           tp_cli_string (entry->device), "runs", times.n,
                           "median_ns", (json_int_t) times.p50_ns,
                           "predicted_ns",
                           (json_int_t) tplan_plan_get_run_ns (entry->plan),
                           "ratio", tp_cli_real (ratio.ratio), "low",
                           isinf (ratio.high) ? json_null ()
                                              : json_real (ratio.low),
                           "high", tp_cli_real (ratio.high)));
    }
  return list;
}

static void
print_data (const Try *self)
{
  TpCalibReport report = grade (self);
  json_t *document = json_pack (
      "{s:s, s:o, s:o, s:o, s:o, s:i, s:o, s:b, s:o}", "format", "tplan-try/1",
      "model", tp_cli_string (self->model), "plan",
      tp_cli_string (self->path), "devices",
      tp_cli_count_devices (self->plan), "chosen",
      tp_cli_string (tp_bench_get (&self->bench, self->chosen)->name),
      "estimated", self->n_estimated, "spread",
      report.time_ns > 0 ? tp_cli_real (tp_calib_report_get_spread (&report))
                         : json_null (),
      "simulated", self->bench.is_simulated, "contestants",
      rivals_to_json (self));

  json_object_set_new (document, "report", tp_cli_string (self->page));
  tp_cli_add_interval (document, "predicted_", self->plan);
  tp_cli_print_data (self->cli, document, "contestants");
}

static gboolean
try_run (TpCli *cli, GError **error)
{
  Try self = { .cli = cli, .model = cli->args[0] };
  gboolean good;

  tp_bench_init (&self.bench);
  tp_cli_catch_interrupts ();
  good = try_all (&self, error);
  if (good && cli->format != TP_FORMAT_TABLE)
    print_data (&self);
  else if (good)
    print_table (&self);
  if (good && *tp_cli_get_cancelled ())
    cli->exit_code = TP_EXIT_INTERRUPTED;
  try_clear (&self);
  return good;
}

const TpCommand tp_command_try = {
  .name = "try",
  .arguments = "MODEL",
  .summary = "Measures, plans, checks and runs a model, in a minute",
  .details = "  tplan try model.onnx\n"
             "Measures what the cost table lacks, plans, checks the proof, runs "
             "the plan in\nturns with all on each device, and writes what is "
             "faster to model.plan.json,\nwith a page to look at, "
             "model.report.html.",
  .n_args_min = 1,
  .n_args_max = 1,
  .uses = TP_USES_PLANNING | TP_USES_FILES | TP_USES_FORMAT | TP_USES_SEED,
  .options = try_options,
  .run = try_run,
};
