/* cmd-calibrate.c: measures devices, and the kernels of models. */
#include "config.h"

#include "api/costs.h"
#include "api/road.h"
#include "calib/cost-db.h"
#include "calib/device-match.h"
#include "cli/calibrated.h"
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/hand-over.h"
#include "cli/hint.h"
#include "cli/measuring.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/series.h"
#include "cli/speeds.h"
#include "cli/text.h"
#include "cli/values.h"
#include "cli/watts.h"
#include "cli/whole-run.h"
#include "runtime/devices.h"

static struct
{
  char *time_limit;
  char *level;
  gboolean measures_watts;
} given;

typedef struct
{
  TpCli *cli;
  TplanCosts *costs;
  TpSeries series;
  gint64 end_us;              /* monotonic; 0: no limit */
  gboolean is_tuning;
  gboolean wants_watts;       /* still */
  json_t *models;
  GPtrArray *whole;           /* TplanGraph: to be run once all are measured, for
                               * what is measured anew takes older wholes along */
  GPtrArray *maps;            /* of memory that the host works in, too, in words */
  GPtrArray *draws;           /* of devices whose watts are known, in words */
  GPtrArray *beside;          /* of two devices that slow each other, in words */
  int n_missing;              /* times still estimated, of all models */
  GPtrArray *unmeasured;      /* real devices that no time was left for; unowned */
  TpCalibReport report;       /* of all calls together */
} Calibrating;

static gint64
get_time_left_ns (const Calibrating *self)
{
  if (self->end_us == 0)
    return 0;
  return MAX ((self->end_us - g_get_monotonic_time ()) * 1000, 1);
}

/* @graph: (nullable) */
static gboolean
measure (Calibrating *self, const TplanGraph *graph, TpMeasured *measured,
         GError **error)
{
  const TpWatch asked = { .time_limit_ns = get_time_left_ns (self),
                          .is_tuning = self->is_tuning,
                          .wants_watts = self->wants_watts };
  gboolean is_good = tp_cli_measure (self->cli, graph, &asked, measured, error);

  self->wants_watts = FALSE;
  tp_calib_report_add (&self->report, &measured->report);
  return is_good;
}

static gboolean
calibrate_machine (Calibrating *self, GError **error)
{
  g_auto (TpMeasured) measured = { 0 };

  return measure (self, NULL, &measured, error);
}

/* @value: of the dimension that has several; 0: none has. */
static gboolean
calibrate_model (Calibrating *self, const char *path, gint64 value,
                 GError **error)
{
  g_autoptr (TplanGraph) graph
      = tp_cli_load_model (self->cli, path, self->series.dims, error);
  g_auto (TpMeasured) measured = { 0 };
  int n_ops;

  if (graph == NULL || !measure (self, graph, &measured, error))
    return FALSE;
  tplan_graph_get_ops (graph, &n_ops);
  self->n_missing += measured.n_estimated;
  json_array_append_new (
      self->models,
      json_pack ("{s:o, s:i, s:i, s:i, s:i}", "model", tp_cli_string (path),
                 "ops", n_ops, "groups", measured.n_groups, "measured",
                 measured.n_measured, "estimated", measured.n_estimated));
  if (value != 0)
    json_object_set_new (
        json_array_get (self->models, json_array_size (self->models) - 1),
        "dims",
        json_pack ("{s:I}", self->series.parameter, (json_int_t) value));
  if (measured.report.n_samples > 0 && measured.n_estimated == 0)
    g_ptr_array_add (self->whole, g_steal_pointer (&graph));
  return TRUE;
}

/* ---- how good it is ------------------------------------------------------ */

static const char *
get_advice (const Calibrating *self)
{
  const TpCalibReport *report = &self->report;
  int n = report->n_settled + report->n_unsettled + report->n_failed;

  if (report->time_ns <= 0 && n == 0 && json_array_size (self->models) > 0)
    return "nothing was to be measured: `tplan devices` says which are real";
  if (report->time_ns <= 0)
    return "name models to have their kernels measured";
  if (tp_calib_report_get_grade (report) <= 'B')
    return report->n_unsettled > 0
               ? "good to plan with; run it again to settle the rest"
               : "good to plan with";
  if (report->n_unsettled > 0 || tp_calibrated_is_strained (report))
    return "run it again when the machine is quieter: what is not settled is "
           "measured anew";
  return "to measure anew on a quieter machine, `tplan cost forget --all` first";
}

static void
print_report (const Calibrating *self)
{
  const TpCalibReport *report = &self->report;
  g_autofree char *load = tp_calibrated_format_load (report);
  g_autofree char *grade = tp_calibrated_format_grade (report);
  g_autofree char *beaten
      = report->n_beaten > 0
            ? g_strdup_printf ("; %d certainly cheaper elsewhere",
                               report->n_beaten) : NULL;

  tp_cli_print ("%s", "");
  for (guint i = 0; i < self->maps->len; i++)
    tp_cli_print ("mapped:  %s", (char *) self->maps->pdata[i]);
  for (guint i = 0; i < self->draws->len; i++)
    tp_cli_print ("draws:   %s", (char *) self->draws->pdata[i]);
  for (guint i = 0; i < self->beside->len; i++)
    tp_cli_print ("beside:  %s", (char *) self->beside->pdata[i]);
  tp_cli_print ("load:    %s", load);
  tp_cli_print ("kernels: %d settled, %d not settled, %d failed%s",
                report->n_settled, report->n_unsettled, report->n_failed,
                beaten != NULL ? beaten : "");
  tp_cli_print ("grade %s: %s", grade, get_advice (self));
}

/* ---- results ------------------------------------------------------------ */

static json_t *
fit_to_json (const TpFit *fit)
{
  json_t *points = json_array ();

  for (int i = 0; i < fit->n_points; i++)
    json_array_append_new (points,
                           json_pack ("[o, o]",
                                      tp_cli_real (fit->points[i].bytes),
                                      tp_cli_real (fit->points[i].time_ns)));
  return json_pack ("{s:o, s:o, s:o, s:o}", "base_ns",
                    tp_cli_real (fit->base_ns), "per_byte_ns",
                    tp_cli_real (fit->per_byte_ns), "residual",
                    tp_cli_real (fit->residual), "points", points);
}

static json_t *
device_to_json (const TpDeviceRow *row)
{
  return json_pack (
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
      tp_cli_string (row->name), "identity", tp_cli_string (row->identity),
      "peak_gflops", tp_cli_real (row->peak_gflops), "bandwidth_gbps",
      tp_cli_real (row->bandwidth_gbps), "launch_ns",
      tp_cli_real (row->launch_ns), "sync_ns", tp_cli_real (row->sync_ns),
      "full_points", tp_cli_real (row->full_points), "handed_over",
      tp_cli_hand_over_to_json (row), "to_device",
      fit_to_json (&row->to_device), "to_host", fit_to_json (&row->to_host),
      "watts", tp_cli_watts_to_json (row), "speeds",
      tp_cli_speeds_to_json (row));
}

static char *
format_link (const TpDeviceRow *row, const TpFit *fit)
{
  g_autofree char *base = tp_cli_format_time ((gint64) fit->base_ns);

  if (row->is_host || fit->per_byte_ns <= 0)
    return NULL;
  return g_strdup_printf ("%.1f GB/s + %s%s", 1 / fit->per_byte_ns, base,
                          fit->n_points > 0 ? " (by size)" : "");
}

static char *
describe_watts (const TpDeviceRow *row)
{
  g_autofree char *watts = tp_cli_describe_drawn (row);

  return g_strdup_printf ("%s %s", row->name, watts);
}

static gboolean
list_devices (Calibrating *self, TpCostDb *db, json_t *list, TpTable *table,
              GError **error)
{
  const char *const *names = tp_api_get_devices (self->costs);

  for (int i = 0; names[i] != NULL; i++)
    {
      g_auto (TpDeviceMatch) match = { 0 };
      const TpDeviceRow *row;
      TpCostDb *from;
      char *handed_over;

      if (!tp_device_match_init (&match, db, names[i],
                                 self->cli->device_options.n_threads, error))
        return FALSE;
      row = tp_device_match_get_row (&match, &from);
      if (row == NULL && !tp_device_is_simulated (names[i]))
        g_ptr_array_add (self->unmeasured, (char *) names[i]);
      if (row == NULL)
        continue;
      json_array_append_new (list, device_to_json (row));
      tp_table_add (table, g_strdup (row->name),
                    g_strdup_printf ("%.4g GFLOP/s", row->peak_gflops),
                    g_strdup_printf ("%.3g GB/s", row->bandwidth_gbps),
                    tp_cli_format_time ((gint64) row->launch_ns),
                    format_link (row, &row->to_device),
                    format_link (row, &row->to_host));
      handed_over = tp_cli_describe_hand_over (row);
      if (handed_over != NULL)
        g_ptr_array_add (self->maps, handed_over);
      if (row->busy_mw > 0)
        g_ptr_array_add (self->draws, describe_watts (row));
      tp_cli_describe_speeds (row, self->beside);
    }
  return TRUE;
}

static void
print_table (const Calibrating *self, const TpTable *table)
{
  if (self->cli->is_quiet)
    return;
  tp_table_print (table, self->cli);
  print_report (self);
}

/* In rows of devices the last columns are of the whole run: some of @quality. */
static void
add_report (const json_t *quality, json_t *devices)
{
  static const char *const keys[]
      = { "others_processors", "settled", "unsettled", "grade" };
  gsize i;
  json_t *device;

  json_array_foreach (devices, i, device)
    for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
      json_object_set (device, keys[k], json_object_get (quality, keys[k]));
}

static gboolean
print_results (Calibrating *self, TpCostDb *db, GError **error)
{
  static const char *const headers[] = { "DEVICE", ">PEAK", ">BANDWIDTH",
                                         ">LAUNCH", ">TO DEVICE", ">TO HOST",
                                         NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  json_t *devices = json_array ();
  gboolean is_good = list_devices (self, db, devices, table, error);
  g_autofree char *advice = tp_hint_complete (get_advice (self));
  json_t *document = json_pack (
      "{s:s, s:o, s:b, s:o, s:o, s:O}", "format", "tplan-calibrate/1", "table",
      tp_cli_string (tp_cost_db_get_path (db)), "complete",
      self->n_missing == 0 && self->unmeasured->len == 0, "quality",
      tp_calibrated_to_json (&self->report, advice), "devices", devices,
      "models", self->models);

  if (is_good && self->cli->format == TP_FORMAT_CSV)
    add_report (json_object_get (document, "quality"), devices);
  if (is_good && self->cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (self->cli, json_incref (document), "devices");
  else if (is_good)
    print_table (self, table);
  json_decref (document);
  if (is_good && self->report.n_lost > 0)
    self->cli->exit_code = TP_EXIT_PARTIAL;
  for (guint i = 0; is_good && i < self->unmeasured->len; i++)
    {
      tp_cli_note (self->cli, "device '%s': no time was left to measure it: run "
                   "it again", (char *) self->unmeasured->pdata[i]);
      self->cli->exit_code = TP_EXIT_PARTIAL;
    }
  if (is_good && self->n_missing > 0)
    {
      tp_cli_note (self->cli, "%d times are estimates still: run it again to "
                   "measure them", self->n_missing);
      self->cli->exit_code = TP_EXIT_PARTIAL;
    }
  return is_good;
}

static gboolean
calibrate_all (Calibrating *self, GError **error)
{
  g_autoptr (TpCostDb) db = NULL;

  if (self->cli->n_args == 0 && !calibrate_machine (self, error))
    return FALSE;
  for (int i = 0; i < self->cli->n_args; i++)
    for (guint k = 0; k < tp_series_count (&self->series); k++)
      if (!calibrate_model (self, self->cli->args[i],
                            tp_series_set (&self->series, k), error))
        return FALSE;
  for (guint i = 0; i < self->whole->len; i++)
    tp_cli_run_wholes (self->cli, self->whole->pdata[i],
                       get_time_left_ns (self));
  db = tp_cost_db_open (self->cli->cost_path, TRUE, error);
  return db != NULL && print_results (self, db, error);
}

static void
free_graph (gpointer data)
{
  tplan_graph_free (data);
}

static gboolean
read_level (Calibrating *self, GError **error)
{
  self->is_tuning = g_strcmp0 (given.level, "tune") == 0;
  if (given.level == NULL || self->is_tuning
      || g_str_equal (given.level, "measure"))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "level '%s' is neither measure nor tune", given.level);
  return FALSE;
}

static gboolean
prepare (Calibrating *self, GError **error)
{
  TpCli *cli = self->cli;
  gint64 limit_ns = 0;

  self->wants_watts = given.measures_watts;
  if (!read_level (self, error))
    return FALSE;
  if (given.time_limit != NULL
      && !tp_cli_parse_time (given.time_limit, &limit_ns, error))
    return FALSE;
  self->costs = tp_cli_get_costs (cli, error);
  if (self->costs == NULL)
    return FALSE;
  if (limit_ns > 0)
    self->end_us = g_get_monotonic_time () + limit_ns / 1000;
  self->models = json_array ();
  self->maps = g_ptr_array_new_with_free_func (g_free);
  self->draws = g_ptr_array_new_with_free_func (g_free);
  self->beside = g_ptr_array_new_with_free_func (g_free);
  self->whole = g_ptr_array_new_with_free_func (free_graph);
  self->unmeasured = g_ptr_array_new ();
  return tp_series_init (&self->series, cli, error);
}

static gboolean
calibrate_run (TpCli *cli, GError **error)
{
  Calibrating self = { .cli = cli };
  gboolean is_good;

  tp_cli_catch_interrupts ();
  is_good = prepare (&self, error) && calibrate_all (&self, error);
  tp_series_clear (&self.series);
  json_decref (self.models);
  g_clear_pointer (&self.whole, g_ptr_array_unref);
  g_clear_pointer (&self.maps, g_ptr_array_unref);
  g_clear_pointer (&self.draws, g_ptr_array_unref);
  g_clear_pointer (&self.beside, g_ptr_array_unref);
  g_clear_pointer (&self.unmeasured, g_ptr_array_unref);
  return is_good;
}

static const GOptionEntry options[] = {
  { "level", 0, 0, G_OPTION_ARG_STRING, &given.level,
    "measure (default), tune; --accuracy=relaxed", "LEVEL" },
  TP_ACCURACY_OPTION,
  { "energy", 0, 0, G_OPTION_ARG_NONE, &given.measures_watts,
    "and what devices draw, by the system's counters", NULL },
  { "time-limit", 0, 0, G_OPTION_ARG_STRING, &given.time_limit,
    "stop after TIME (90, 2m, 1h); results are kept", "TIME" },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

const TpCommand tp_command_calibrate = {
  .name = "calibrate",
  .arguments = "[MODEL...]",
  .summary = "Measures devices, and every kernel of each MODEL, once",
  .details = "What the cost table knows already is not measured again. Ctrl-C "
             "keeps what was\nmeasured. Ends with 4 when the time limit left "
             "something out.",
  .n_args_min = 0,
  .n_args_max = TP_CLI_ANY,
  .uses = TP_USES_DEVICES | TP_USES_THREADS | TP_USES_DIMS | TP_USES_COSTS
          | TP_USES_GRAPH | TP_USES_PASSES | TP_USES_FORMAT,
  .options = options,
  .run = calibrate_run,
};
