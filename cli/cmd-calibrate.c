/* cmd-calibrate.c: measures devices, and the kernels of models. */
#include "config.h"

#include "calib/cost-db.h"
#include "calib/lookup.h"
#include "cli/cli.h"
#include "format/graph-load.h"
#include "format/load-options.h"
#include "graph/pass.h"
#include "planner/planner.h"

static struct
{
  char *time_limit;
} given;

typedef struct
{
  TpCli *cli;
  TpCostDb *db;
  TpDims *dims;
  TpCalibOptions options;
  gint64 end_us;              /* monotonic; 0: no limit */
  json_t *models;
  int n_missing;              /* times still estimated, of all models */
} Calibrating;

static gint64
get_time_left_ns (const Calibrating *self)
{
  if (self->end_us == 0)
    return 0;
  return MAX ((self->end_us - g_get_monotonic_time ()) * 1000, 1);
}

static void
print_warnings (Calibrating *self)
{
  GPtrArray *warnings = self->options.warnings;

  for (guint i = 0; i < warnings->len; i++)
    tp_cli_warn (self->cli, "%s", (const char *) warnings->pdata[i]);
  g_ptr_array_set_size (warnings, 0);
}

static gboolean
measure (Calibrating *self, const TpGraph *graph, const TpGroups *groups,
         GError **error)
{
  gboolean is_good;

  self->options.time_limit_ns = get_time_left_ns (self);
  is_good = tp_calibrate (self->db, graph, groups, &self->options, error);
  tp_cli_progress_end (self->cli);
  print_warnings (self);
  return is_good;
}

static void
count_table (const TpCost *table, int n, int *out_estimated, int *out_measured)
{
  for (int i = 0; i < n; i++)
    if (table[i].time_ns != TP_COST_NONE)
      {
        *out_estimated += table[i].is_estimated;
        *out_measured += !table[i].is_estimated;
      }
}

/* What the table now has of the model. */
static gboolean
count_model (Calibrating *self, const char *path, const TpGraph *graph,
             const TpGroups *groups, GError **error)
{
  g_autoptr (TpCosts) costs = tp_cost_db_lookup (self->db, graph, groups,
                                                 &self->options, error);
  int n_estimated = 0, n_measured = 0;

  if (costs == NULL)
    return FALSE;
  count_table (costs->nodes, costs->n_nodes * costs->n_devices, &n_estimated,
               &n_measured);
  count_table (costs->groups, costs->n_groups * costs->n_devices, &n_estimated,
               &n_measured);
  g_ptr_array_set_size (self->options.warnings, 0); /* said by the number */
  self->n_missing += n_estimated;
  json_array_append_new (
      self->models, json_pack ("{s:o, s:i, s:i, s:i, s:i}", "model",
                               tp_cli_string (path), "ops", graph->n_nodes,
                               "groups", groups->n_groups, "measured",
                               n_measured, "estimated", n_estimated));
  return TRUE;
}

static gboolean
calibrate_model (Calibrating *self, const char *path, GError **error)
{
  TpLoadOptions options = tp_cli_load_options (self->cli, self->dims);
  g_autoptr (TpGraph) raw = tp_graph_read (path, &options, error);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpGroups) groups = NULL;

  if (raw == NULL)
    return FALSE;
  graph = tp_graph_prepare (raw, error);
  if (graph == NULL)
    return FALSE;
  groups = tp_fuse_find (graph, NULL);
  return measure (self, graph, groups, error)
         && count_model (self, path, graph, groups, error);
}

/* ---- results ------------------------------------------------------------ */

static json_t *
fit_to_json (const TpFit *fit)
{
  return json_pack ("{s:o, s:o, s:o}", "base_ns", tp_cli_real (fit->base_ns),
                    "per_byte_ns", tp_cli_real (fit->per_byte_ns),
                    "residual", tp_cli_real (fit->residual));
}

static json_t *
device_to_json (const TpDeviceRow *row)
{
  return json_pack (
      "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
      tp_cli_string (row->name), "identity", tp_cli_string (row->identity),
      "peak_gflops", tp_cli_real (row->peak_gflops), "bandwidth_gbps",
      tp_cli_real (row->bandwidth_gbps), "launch_ns",
      tp_cli_real (row->launch_ns), "sync_ns", tp_cli_real (row->sync_ns),
      "full_points", tp_cli_real (row->full_points), "to_device",
      fit_to_json (&row->to_device), "to_host", fit_to_json (&row->to_host));
}

static char *
format_link (const TpDeviceRow *row, const TpFit *fit)
{
  g_autofree char *base = tp_cli_format_time ((gint64) fit->base_ns);

  if (row->is_host || fit->per_byte_ns <= 0)
    return NULL;
  return g_strdup_printf ("%.1f GB/s + %s", 1 / fit->per_byte_ns, base);
}

static gboolean
list_devices (Calibrating *self, json_t *list, TpTable *table, GError **error)
{
  for (int i = 0; i < self->options.n_devices; i++)
    {
      g_auto (TpDeviceMatch) match = { 0 };
      const TpDeviceRow *row;
      TpCostDb *db;

      if (!tp_device_match_init (&match, self->db, self->options.devices[i],
                                 self->options.n_threads, error))
        return FALSE;
      row = tp_device_match_get_row (&match, &db);
      if (row == NULL)
        continue; /* a sim, or no time was left for it */
      json_array_append_new (list, device_to_json (row));
      tp_table_add (table, g_strdup (row->name),
                    g_strdup_printf ("%.4g GFLOP/s", row->peak_gflops),
                    g_strdup_printf ("%.3g GB/s", row->bandwidth_gbps),
                    tp_cli_format_time ((gint64) row->launch_ns),
                    format_link (row, &row->to_device),
                    format_link (row, &row->to_host));
    }
  return TRUE;
}

static gboolean
print_results (Calibrating *self, GError **error)
{
  static const char *const headers[] = { "DEVICE", ">PEAK", ">BANDWIDTH",
                                         ">LAUNCH", ">TO DEVICE", ">TO HOST",
                                         NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  json_t *devices = json_array ();
  gboolean is_good = list_devices (self, devices, table, error);
  json_t *document = json_pack (
      "{s:s, s:o, s:b, s:o, s:O}", "format", "tplan-calibrate/1", "table",
      tp_cli_string (tp_cost_db_get_path (self->db)), "complete",
      self->n_missing == 0, "devices", devices, "models", self->models);

  if (is_good && self->cli->format == TP_FORMAT_JSON)
    tp_cli_print_json (json_incref (document));
  else if (is_good && !self->cli->is_quiet)
    tp_table_print (table, self->cli);
  json_decref (document);
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
  if (self->cli->n_args == 0 && !measure (self, NULL, NULL, error))
    return FALSE;
  for (int i = 0; i < self->cli->n_args; i++)
    if (!calibrate_model (self, self->cli->args[i], error))
      return FALSE;
  return print_results (self, error);
}

static gboolean
prepare (Calibrating *self, GError **error)
{
  TpCli *cli = self->cli;
  const char *const *devices;
  gint64 limit_ns = 0;

  if (given.time_limit != NULL
      && !tp_cli_parse_time (given.time_limit, &limit_ns, error))
    return FALSE;
  devices = tp_cli_get_devices (cli, error);
  if (devices == NULL)
    return FALSE;
  if (limit_ns > 0)
    self->end_us = g_get_monotonic_time () + limit_ns / 1000;
  self->options = (TpCalibOptions){
    .n_devices = (int) g_strv_length ((char **) devices),
    .devices = devices,
    .n_threads = cli->device_options.n_threads,
    .progress = tp_cli_progress,
    .user_data = cli,
    .cancelled = tp_cli_get_cancelled (),
    .warnings = g_ptr_array_new_with_free_func (g_free),
  };
  self->models = json_array ();
  self->dims = tp_cli_parse_dims (cli, error);
  if (self->dims == NULL)
    return FALSE;
  self->db = tp_cost_db_open (cli->cost_path, FALSE, error);
  return self->db != NULL;
}

static gboolean
calibrate_run (TpCli *cli, GError **error)
{
  Calibrating self = { .cli = cli };
  gboolean is_good;

  tp_cli_catch_interrupts ();
  is_good = prepare (&self, error) && calibrate_all (&self, error);
  tp_cost_db_close (self.db);
  g_clear_pointer (&self.dims, g_hash_table_unref);
  g_clear_pointer (&self.options.warnings, g_ptr_array_unref);
  json_decref (self.models);
  return is_good;
}

static const GOptionEntry options[] = {
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
  .uses = TP_USES_DEVICES | TP_USES_THREADS | TP_USES_DIMS | TP_USES_COSTS | TP_USES_GRAPH
          | TP_USES_FORMAT,
  .options = options,
  .run = calibrate_run,
};
