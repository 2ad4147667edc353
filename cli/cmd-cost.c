/* cmd-cost.c: the cost table, looked at and looked after. */
#include "config.h"

#include "calib/columns.h"
#include "calib/cost-db.h"
#include "calib/cost-wholes.h"
#include "calib/exchange.h"
#include "calib/facts.h"
#include "cli/cli.h"
#include "cli/cost-diff.h"
#include "cli/cost-tune.h"
#include "cli/csv.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "format/file.h"
#include "ir/near-name.h"

#include <string.h>

/* Of models, that diff plans and tune reads. */
#define USES_MODELS (TP_USES_DEVICES | TP_USES_DIMS | TP_USES_PASSES)

static struct
{
  gboolean is_all, is_stale;
  char *kernel;
} given;

/* NULL: its facts hold for the threads asked for; else what differs. */
static char *
find_difference (const TpCli *cli, const TpDeviceRow *row)
{
  g_autofree char *now = tp_facts_gather (row->name,
                                          cli->device_options.n_threads);

  return tp_facts_compare (row->facts, now);
}

static char *
format_when (gint64 seconds)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (seconds);

  return when != NULL ? g_date_time_format (when, "%Y-%m-%d %H:%M") : NULL;
}

/* ---- list --------------------------------------------------------------- */

typedef struct
{
  TpCli *cli;
  TpCostDb *db;
  TpTable *table;
  json_t *list;
  const char *table_name;     /* "own", "system" */
} Listing;

/* Those that were only tried are none that are used. */
static int
count_used (const TpPointers *entries)
{
  int n = 0;

  for (guint i = 0; i < entries->len; i++)
    n += ((const TpEntryRow *) entries->pdata[i])->state != TP_ENTRY_TRIED;
  return n;
}

static gboolean
list_device (Listing *listing, const TpDeviceRow *row, GError **error)
{
  g_autoptr (TpPointers) entries
      = tp_cost_db_list_entries (listing->db, row->id, NULL, error);
  g_autoptr (TpPointers) wholes
      = entries == NULL ? NULL
                        : tp_cost_db_list_wholes (listing->db, row->id, error);
  g_autofree char *difference = find_difference (listing->cli, row);

  if (wholes == NULL)
    return FALSE;
  tp_table_add (listing->table, g_strdup (row->name),
                g_strdup_printf ("%d", count_used (entries)),
                g_strdup_printf ("%u", wholes->len),
                g_strdup_printf ("%.4g GFLOP/s", row->peak_gflops),
                g_strdup_printf ("%.3g GB/s", row->bandwidth_gbps),
                format_when (row->measured_at), g_strdup (listing->table_name),
                difference != NULL ? g_strconcat ("stale: ", difference, NULL)
                                   : g_strdup ("holds"));
  json_array_append_new (
      listing->list,
      json_pack ("{s:o, s:i, s:i, s:o, s:o, s:I, s:s, s:o, s:o}", "name",
                 tp_cli_string (row->name), "entries", count_used (entries),
                 "wholes", (int) wholes->len,
                 "peak_gflops", tp_cli_real (row->peak_gflops),
                 "bandwidth_gbps", tp_cli_real (row->bandwidth_gbps),
                 "measured_at", (json_int_t) row->measured_at, "table",
                 listing->table_name, "stale", tp_cli_string (difference),
                 "identity", tp_cli_string (row->identity)));
  return TRUE;
}

static gboolean
list_table (Listing *listing, TpCostDb *db, const char *table_name,
            GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (db == NULL)
    return TRUE;
  listing->db = db;
  listing->table_name = table_name;
  rows = tp_cost_db_list_devices (db, NULL, error);
  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    if (!list_device (listing, g_ptr_array_index (rows, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
cost_list (TpCli *cli, TpCostDb *db, GError **error)
{
  static const char *const headers[]
      = { "DEVICE", ">ENTRIES", ">WHOLES", ">PEAK", ">BANDWIDTH", "MEASURED",
          "TABLE", "STATE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  Listing listing = { .cli = cli, .table = table, .list = json_array () };
  gboolean is_good
      = list_table (&listing, db, "own", error)
        && list_table (&listing, tp_cost_db_get_system (db), "system", error);

  if (is_good && cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (
        cli,
        json_pack ("{s:s, s:o, s:O}", "format", "tplan-cost-list/1", "table",
                   tp_cli_string (tp_cost_db_get_path (db)), "devices",
                   listing.list),
        "devices");
  else if (is_good)
    tp_table_print (table, cli);
  json_decref (listing.list);
  return is_good;
}

/* ---- show --------------------------------------------------------------- */

static json_t *
entry_to_json (const TpDeviceRow *device, const TpEntryRow *row)
{
  return json_pack (
      "{s:o, s:o, s:s, s:s, s:o, s:s, s:o, s:i, s:I, s:I, s:I, s:I, s:I, s:I, "
      "s:I, s:I}",
      "device", tp_cli_string (device->name), "kernel",
      tp_cli_string (row->label), "digest", row->digest, "dtype", row->dtype,
      "schedule", tp_cli_string (row->schedule), "state",
      tp_entry_state_get_name (row->state), "reason",
      tp_cli_string (row->reason), "n", row->stats.n, "min_ns",
      (json_int_t) row->stats.min_ns, "median_ns",
      (json_int_t) row->stats.median_ns, "mad_ns",
      (json_int_t) row->stats.mad_ns, "half_interval_ns",
      (json_int_t) row->stats.half_ns, "fma_ns", (json_int_t) row->fma_ns,
      "stream_ns", (json_int_t) row->stream_ns, "flops",
      (json_int_t) row->work.flops, "measured_at",
      (json_int_t) row->measured_at);
}

static void
show_entry (Listing *listing, const TpDeviceRow *device, const TpEntryRow *row)
{
  gboolean is_failed = row->state == TP_ENTRY_FAILED;
  double gflops = row->stats.median_ns > 0
                      ? (double) row->work.flops / row->stats.median_ns : 0;

  json_array_append_new (listing->list, entry_to_json (device, row));
  if (is_failed)
    tp_table_add (listing->table, g_strdup (device->name),
                  g_strdup (row->label), NULL, NULL, NULL, NULL, NULL,
                  g_strconcat ("failed: ", row->reason, NULL));
  else
    tp_table_add (listing->table, g_strdup (device->name),
                  g_strdup (row->label),
                  tp_cli_format_time (row->stats.median_ns),
                  tp_cli_format_time (row->stats.half_ns),
                  tp_cli_format_time (row->stats.min_ns),
                  g_strdup_printf ("%d", row->stats.n),
                  g_strdup_printf ("%.3g", gflops),
                  row->state == TP_ENTRY_SETTLED
                      ? g_strdup (row->schedule)
                      : g_strdup_printf ("(%s) %s",
                                         tp_entry_state_get_name (row->state),
                                         row->schedule));
}

static gboolean
show_device (Listing *listing, const TpDeviceRow *device, GError **error)
{
  g_autofree char *difference = find_difference (listing->cli, device);
  g_autoptr (TpPointers) entries = NULL;

  if (difference != NULL && !given.is_all)
    return TRUE; /* what is not used is not shown unless asked for */
  entries = tp_cost_db_list_entries (listing->db, device->id, NULL, error);
  if (entries == NULL)
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    show_entry (listing, device, g_ptr_array_index (entries, i));
  return TRUE;
}

/* A table of nothing leaves one wondering. */
static void
note_nothing (const TpCli *cli, const TpCostDb *db, guint n_devices)
{
  const char *path = tp_cost_db_get_path (db);

  if (n_devices > 0 && !given.is_all)
    tp_cli_note (cli, "note: %s: no figures that hold: --all shows those that "
                      "are stale", path);
  else if (cli->n_args > 1)
    tp_cli_note (cli, "note: %s: no figures of '%s': `tplan cost list` has "
                      "the devices there are", path, cli->args[1]);
  else
    tp_cli_note (cli, "note: %s: no figures yet: `tplan calibrate --help` says "
                      "how to measure", path);
}

static gboolean
cost_show (TpCli *cli, TpCostDb *db, GError **error)
{
  static const char *const headers[]
      = { "DEVICE", "KERNEL", ">MEDIAN", ">+-", ">MIN", ">N", ">GFLOP/S",
          "SCHEDULE", NULL };
  g_autoptr (GPtrArray) rows = tp_cost_db_list_devices (
      db, cli->n_args > 1 ? cli->args[1] : NULL, error);
  g_autoptr (TpTable) table = tp_table_new (headers);
  Listing listing = { .cli = cli, .db = db, .table = table,
                      .list = json_array () };
  gboolean is_good = rows != NULL;

  for (guint i = 0; is_good && i < rows->len; i++)
    is_good = show_device (&listing, g_ptr_array_index (rows, i), error);
  if (is_good && json_array_size (listing.list) == 0)
    note_nothing (cli, db, rows->len);
  if (is_good && cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (cli,
                       json_pack ("{s:s, s:O}", "format", "tplan-cost-show/1",
                                  "entries", listing.list),
                       "entries");
  else if (is_good)
    tp_table_print (table, cli);
  json_decref (listing.list);
  return is_good;
}

/* ---- export, import, forget --------------------------------------------- */

static gboolean
cost_export (TpCli *cli, TpCostDb *db, GError **error)
{
  g_autofree char *text = NULL;
  const char *path = cli->outputs[0] != NULL ? cli->outputs[0] : "-";

  if (!tp_csv_is_json_meant (cli, "cost export", "cost show", error))
    return FALSE;
  text = tp_cost_db_export (db, error);
  return text != NULL
         && tp_cli_write_output (cli, path, text, strlen (text), error);
}

static gboolean
import_file (TpCli *cli, TpCostDb *db, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_load (path, TP_FILE_PLAIN, error);
  const char *text;
  gsize size;
  int n;

  if (bytes == NULL)
    return FALSE;
  text = g_bytes_get_data (bytes, &size);
  if (!tp_cost_db_import (db, size > 0 ? text : "", size, &n, error))
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  tp_cli_note (cli, "%s: %d entries taken", path, n);
  return TRUE;
}

static gboolean
cost_import (TpCli *cli, TpCostDb *db, GError **error)
{
  for (int i = 1; i < cli->n_args; i++)
    if (!import_file (cli, db, cli->args[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
cost_forget (TpCli *cli, TpCostDb *db, GError **error)
{
  const char *name = cli->n_args > 1 ? cli->args[1] : NULL;
  g_autoptr (GPtrArray) rows = NULL;
  int n = 0;

  if (name == NULL && !given.is_all && !given.is_stale)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "forget what? name a device, or give --stale or --all");
      return FALSE;
    }
  rows = tp_cost_db_list_devices (db, name, error);
  if (rows == NULL)
    return FALSE;
  for (guint i = 0; i < rows->len; i++)
    {
      const TpDeviceRow *row = g_ptr_array_index (rows, i);
      g_autofree char *difference = find_difference (cli, row);

      if (given.is_stale && difference == NULL)
        continue;
      if (!tp_cost_db_forget (db, row->id, error))
        return FALSE;
      n++;
    }
  if (name != NULL && rows->len == 0)
    tp_cli_note (cli, "note: %s: no figures of '%s': `tplan cost list` has the "
                      "devices there are", tp_cost_db_get_path (db), name);
  tp_cli_note (cli, "%d device%s forgotten", n, n == 1 ? "" : "s");
  return TRUE;
}

/* Of two tables given; the own one plays no part. */
static gboolean
cost_diff (TpCli *cli, TpCostDb *db, GError **error)
{
  if (cli->n_args >= 3)
    return tp_cost_diff (cli, (const char *const *) cli->args + 1,
                         given.is_all, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "cost diff: two tables are to be named");
  return FALSE;
}

static gboolean
cost_tune (TpCli *cli, TpCostDb *db, GError **error)
{
  const TpTunedAsked asked = { .is_all = given.is_all, .kernel = given.kernel };

  if (cli->n_args >= 2)
    return tp_cost_tune (cli, (const char *const *) cli->args + 1, &asked,
                         error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "cost tune: a model is to be named");
  return FALSE;
}

/* ---- the verbs ---------------------------------------------------------- */

static const struct
{
  const char *name;
  int n_args_max;             /* after the verb */
  gboolean is_read_only;
  gboolean is_planning;       /* --devices and the like say something */
  gboolean (*run) (TpCli *cli, TpCostDb *db, GError **error);
} verbs[] = {
  { "list", 0, TRUE, FALSE, cost_list },
  { "show", 1, TRUE, FALSE, cost_show },
  { "export", 0, TRUE, FALSE, cost_export },
  { "import", TP_CLI_ANY, FALSE, FALSE, cost_import },
  { "forget", 1, FALSE, FALSE, cost_forget },
  { "diff", TP_CLI_ANY, TRUE, TRUE, cost_diff },
  { "tune", TP_CLI_ANY, TRUE, TRUE, cost_tune },
};

/* "list, show, ... and diff" */
static char *
list_verbs (void)
{
  g_autoptr (GString) text = g_string_new (verbs[0].name);

  for (gsize i = 1; i < G_N_ELEMENTS (verbs); i++)
    g_string_append_printf (
        text, "%s%s", i + 1 < G_N_ELEMENTS (verbs) ? ", " : " and ",
        verbs[i].name);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
ask_verb (const char *typed)
{
  const char *names[G_N_ELEMENTS (verbs) + 1] = { NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    names[i] = verbs[i].name;
  return tp_near_name_ask (typed, names);
}

static gboolean
check_flags (const TpCli *cli, const char *verb, gboolean is_planning,
             GError **error)
{
  if (tp_cli_planning.accuracy != NULL && !is_planning)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "cost %s: --accuracy is for 'cost diff' and 'cost tune': leave "
                   "it out",
                   verb);
      return FALSE;
    }
  if (given.kernel != NULL && strcmp (verb, "tune") != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "cost %s: --kernel is for 'cost tune': leave it out", verb);
      return FALSE;
    }
  if (is_planning || (cli->given & USES_MODELS) == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "cost %s: --devices, --dim and --no-pass are for the models of "
               "'cost diff' and 'cost tune': leave them out",
               verb);
  return FALSE;
}

static gboolean
cost_run (TpCli *cli, GError **error)
{
  g_autofree char *known = list_verbs (), *near = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      g_autoptr (TpCostDb) db = NULL;

      if (strcmp (cli->args[0], verbs[i].name) != 0)
        continue;
      if (cli->n_args - 1 > verbs[i].n_args_max)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "cost %s: '%s' is one argument too many",
                       verbs[i].name, cli->args[verbs[i].n_args_max + 1]);
          return FALSE;
        }
      if (!check_flags (cli, verbs[i].name, verbs[i].is_planning, error))
        return FALSE;
      db = tp_cost_db_open (cli->cost_path, verbs[i].is_read_only, error);
      return db != NULL && verbs[i].run (cli, db, error);
    }
  near = ask_verb (cli->args[0]);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "cost: no verb '%s'%s: there are %s", cli->args[0], near, known);
  return FALSE;
}

static const GOptionEntry options[] = {
  { "all", 'a', 0, G_OPTION_ARG_NONE, &given.is_all,
    "stale, equal or untimed ones too; forget: all", NULL },
  { "stale", 0, 0, G_OPTION_ARG_NONE, &given.is_stale,
    "forget: only what no longer holds", NULL },
  { "accuracy", 0, 0, G_OPTION_ARG_STRING, &tp_cli_planning.accuracy,
    "diff, tune: as in plans that are full or relaxed", "LEVEL" },
  { "kernel", 0, 0, G_OPTION_ARG_STRING, &given.kernel,
    "tune: all of the kernels KERNEL, a glob or digest", "KERNEL" },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

const TpCommand tp_command_cost = {
  .name = "cost",
  .arguments = "VERB [ARGUMENT...]",
  .verbs = "list show export import forget diff tune",
  .summary = "Shows, moves and clears what was measured",
  .details = "  list             devices, and whether their figures hold\n"
             "  show [DEVICE]    every kernel measured\n"
             "  export [-o FILE] the table as JSON\n"
             "  import FILE...   what another table exported\n"
             "  forget [DEVICE]  drop figures, to measure anew\n"
             "  diff A B [PLAN|MODEL...]\n"
             "                   what moved between two tables, and in plans\n"
             "  tune MODEL...    schedules that were tuned: ranks, times, gains",
  .n_args_min = 1,
  .n_args_max = TP_CLI_ANY,
  .uses = TP_USES_COSTS | TP_USES_FORMAT | TP_USES_OUTPUT | TP_USES_THREADS
          | TP_USES_GRAPH | USES_MODELS,
  .options = options,
  .run = cost_run,
};
