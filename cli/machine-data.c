/* machine-data.c: see machine-data.h. */
#include "config.h"

#include "cli/hand-over.h"
#include "cli/machine-data.h"

#include "api/devices.h"
#include "api/elsewhere.h"
#include "calib/columns.h"
#include "calib/cost-wholes.h"
#include "calib/device-match.h"
#include "calib/machine-json.h"
#include "calib/samples.h"
#include "cli/drivers.h"
#include "cli/output.h"
#include "cli/speeds.h"
#include "cli/watts.h"
#include "machine/machine.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <string.h>

typedef struct
{
  TpCostDb *db;
  int n_threads;
  json_t *list;               /* of devices */
} Machine;

/* ---- one device --------------------------------------------------------- */

static json_t *
link_to_json (const TpFit *fit)
{
  json_t *points = json_array ();

  for (int i = 0; i < fit->n_points; i++)
    json_array_append_new (
        points,
        json_pack ("{s:o, s:o}", "bytes", tp_cli_real (fit->points[i].bytes),
                   "time_ns", tp_cli_real (fit->points[i].time_ns)));
  return json_pack (
      "{s:o, s:o, s:o, s:o}", "gbps",
      fit->per_byte_ns > 0 ? tp_cli_real (1 / fit->per_byte_ns) : json_null (),
      "latency_ns", tp_cli_real (fit->base_ns), "residual",
      tp_cli_real (fit->residual), "points", points);
}

static void
set_link (json_t *object, const char *key, const TpFit *fit)
{
  json_object_set_new (object, key, link_to_json (fit));
}

static void
set_real (json_t *object, const char *key, double value)
{
  json_object_set_new (object, key, tp_cli_real (value));
}

static void
set_integer (json_t *object, const char *key, gint64 value)
{
  json_object_set_new (object, key, json_integer (value));
}

static json_t *
new_device (const char *name, const char *state, const char *reason)
{
  return json_pack ("{s:o, s:s, s:o}", "name", tp_cli_string (name), "state",
                    state, "reason", tp_cli_string (reason));
}

static void
add_row (json_t *object, const TpDeviceRow *row)
{
  json_object_set_new (object, "identity", tp_cli_string (row->identity));
  json_object_set_new (object, "host", json_boolean (row->is_host));
  set_real (object, "peak_gflops", row->peak_gflops);
  set_real (object, "bandwidth_gbps", row->bandwidth_gbps);
  set_real (object, "launch_ns", row->launch_ns);
  set_real (object, "sync_ns", row->sync_ns);
  set_real (object, "full_points", row->full_points);
  set_integer (object, "memory_bytes", row->memory_bytes);
  set_integer (object, "measured_at", row->measured_at);
  if (row->busy_mw > 0)
    {
      g_autofree char *drawn = tp_cli_describe_drawn (row);

      json_object_set_new (object, "watts", tp_cli_watts_to_json (row));
      json_object_set_new (object, "draws", tp_cli_string (drawn));
    }
  if (*row->speeds != 0)
    {
      json_object_set_new (object, "speeds", tp_cli_speeds_to_json (row));
      json_object_set_new (object, "at_once", tp_cli_list_speeds (row));
    }
  if (row->is_host)
    return;
  set_link (object, "to_device", &row->to_device);
  set_link (object, "to_host", &row->to_host);
  json_object_set_new (object, "handed_over", tp_cli_hand_over_to_json (row));
}

/* As if all were wrong in the same direction; and which kernels were timed in company
 * that the machine was without at another time: each counts once, however many samples
 * a table claims. */
static void
add_to_report (TpCalibReport *report, const TpEntryRow *entry,
               const TpProcessors *least)
{
  report->time_ns += entry->stats.median_ns;
  report->half_ns += entry->stats.half_ns;
  report->n_samples++;
  report->n_apart += tp_samples_are_apart (&entry->processors, least);
  report->n_contended += tp_samples_are_contended (&entry->processors, least);
}

/* How good its figures are. */
static gboolean
add_entries (json_t *object, TpCostDb *db, const TpDeviceRow *row,
             GError **error)
{
  g_autoptr (TpPointers) entries
      = tp_cost_db_list_entries (db, row->id, NULL, error);
  g_autoptr (TpPointers) wholes
      = entries == NULL ? NULL : tp_cost_db_list_wholes (db, row->id, error);
  TpCalibReport report = { 0 };
  int counts[TP_N_ENTRY_STATES] = { 0 };
  TpProcessors least;

  if (wholes == NULL)
    return FALSE;
  tp_cost_db_find_least (db, row->id, &least);
  for (guint i = 0; i < entries->len; i++)
    {
      const TpEntryRow *entry = entries->pdata[i];

      counts[CLAMP (entry->state, 0, TP_N_ENTRY_STATES - 1)]++;
      if (entry->state == TP_ENTRY_FAILED || entry->state == TP_ENTRY_TRIED)
        continue;
      add_to_report (&report, entry, &least);
    }
  for (int i = 0; i < TP_N_ENTRY_STATES; i++)
    set_integer (object, tp_entry_state_get_name (i), counts[i]);
  set_integer (object, "wholes", wholes->len);
  if (report.time_ns > 0 && report.half_ns > 0)
    {
      const char grade[] = { tp_calib_report_get_grade (&report), '\0' };

      json_object_set_new (object, "grade", json_string (grade));
      set_real (object, "spread", tp_calib_report_get_spread (&report));
      set_real (object, "strained", tp_calib_report_get_strained (&report));
    }
  return TRUE;
}

/* The row that holds, else the last one there was. */
static gboolean
add_device (Machine *self, const char *name, GError **error)
{
  g_auto (TpDeviceMatch) match = { 0 };
  g_autoptr (GPtrArray) rows = NULL;
  const TpDeviceRow *row;
  TpCostDb *table;
  json_t *object;

  if (!tp_device_match_init (&match, self->db, name, self->n_threads, error))
    return FALSE;
  row = tp_device_match_get_row (&match, &table);
  object = new_device (name, row != NULL ? "holds" : "stale",
                       match.stale_reason);
  json_array_append_new (self->list, object);
  if (row == NULL)
    {
      table = self->db;
      rows = tp_cost_db_list_devices (table, name, error);
      if (rows == NULL)
        return FALSE;
      if (rows->len == 0)
        return TRUE; /* the system's is stale: no more of it */
      row = rows->pdata[0];
    }
  add_row (object, row);
  return add_entries (object, table, row, error);
}

/* ---- all of them -------------------------------------------------------- */

static gboolean
has_device (const Machine *self, const char *name)
{
  gsize i;
  json_t *object;

  json_array_foreach (self->list, i, object)
    if (g_strcmp0 (json_string_value (json_object_get (object, "name")), name)
        == 0)
      return TRUE;
  return FALSE;
}

static gboolean
add_table (Machine *self, TpCostDb *db, GError **error)
{
  g_autoptr (GPtrArray) rows = NULL;

  if (db == NULL)
    return TRUE;
  rows = tp_cost_db_list_devices (db, NULL, error);
  for (guint i = 0; rows != NULL && i < rows->len; i++)
    {
      const TpDeviceRow *row = rows->pdata[i];

      if (!has_device (self, row->name)
          && !add_device (self, row->name, error))
        return FALSE;
    }
  return rows != NULL;
}

static void
ask_names (gpointer data, GString *out)
{
  g_autoptr (GPtrArray) names = tp_device_names ();

  (void) data;
  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (out, "%s\n", (const char *) names->pdata[i]);
}

/* Devices that nobody measured, and those that are gone. */
static gboolean
add_present (Machine *self, GError **error)
{
  g_autofree char *answer = tp_devices_ask (ask_names, NULL, error);
  g_auto (GStrv) names = NULL;
  gsize i;
  json_t *object;

  if (answer == NULL)
    return FALSE;
  names = g_strsplit (answer, "\n", -1);
  json_array_foreach (self->list, i, object)
    if (!g_strv_contains ((const char *const *) names,
                          json_string_value (json_object_get (object, "name"))))
      {
        json_object_set_new (object, "state", json_string ("absent"));
        json_object_set_new (object, "reason",
                             json_string ("no such device answers now"));
      }
  for (int k = 0; names[k] != NULL; k++)
    if (*names[k] != 0 && !has_device (self, names[k]))
      json_array_append_new (self->list, new_device (names[k], "unmeasured",
                                                     NULL));
  return TRUE;
}

static json_t *
new_document (const char *table, const TpMachineInfo *info, int n_threads,
              json_t *devices)
{
  return json_pack ("{s:s, s:o, s:o, s:o, s:o}", "format", "tplan-machine/1",
                    "table", tp_cli_string (table), "machine",
                    info == NULL ? json_null ()
                                 : tp_machine_info_to_json (info),
                    "threads",
                    n_threads > 0 ? json_integer (n_threads) : json_null (),
                    "devices", devices);
}

json_t *
tp_machine_data_here (TpCli *cli, GError **error)
{
  g_autoptr (TpCostDb) db = tp_cost_db_open (cli->cost_path, TRUE, error);
  g_autoptr (TpMachineInfo) info = NULL;
  int n_threads = cli->device_options.n_threads;
  Machine self = { db, n_threads, NULL };

  if (db == NULL)
    return NULL;
  self.list = json_array ();
  tp_cli_meet_drivers (cli, NULL);
  if (!add_table (&self, db, error)
      || !add_table (&self, tp_cost_db_get_system (db), NULL)
      || !add_present (&self, error))
    {
      json_decref (self.list);
      return NULL;
    }
  info = tp_machine_info_gather ();
  return new_document (tp_cost_db_get_path (db), info,
                       tp_threads_count (n_threads), self.list);
}

/* ---- elsewhere ---------------------------------------------------------- */

static json_t *
profile_to_json (const char *name, GError **error)
{
  g_autoptr (TpMachine) machine
      = tp_machine_parse (strchr (name, ':') + 1, error);
  TpFit link = { 0 };
  json_t *object;

  if (machine == NULL)
    return NULL;
  link.base_ns = machine->link_latency_ns;
  link.per_byte_ns = machine->link_gbps > 0 ? 1 / machine->link_gbps : 0;
  object = new_device (name, "simulated", NULL);
  json_object_set_new (object, "identity",
                       tp_cli_string (machine->description));
  json_object_set_new (object, "host", json_boolean (machine->link_gbps <= 0));
  set_real (object, "peak_gflops", machine->peak_gflops);
  set_real (object, "bandwidth_gbps", machine->bandwidth_gbps);
  set_real (object, "launch_ns", machine->launch_ns);
  set_real (object, "full_points", machine->full_points);
  set_integer (object, "memory_bytes", machine->memory_bytes);
  if (machine->link_gbps > 0)
    {
      set_link (object, "to_device", &link);
      set_link (object, "to_host", &link);
    }
  return object;
}

json_t *
tp_machine_data_elsewhere (TpCli *cli, const char *name, GError **error)
{
  g_autoptr (TpCostDb) db = NULL;
  Machine self = { 0 };
  json_t *device;

  (void) cli;
  if (tp_device_is_simulated (name))
    {
      device = profile_to_json (name, error);
      return device == NULL
                 ? NULL
                 : new_document (NULL, NULL, 0, json_pack ("[o]", device));
    }
  db = tp_elsewhere_open (name, error);
  if (db == NULL)
    return NULL;
  self = (Machine){ db, 0, json_array () };
  if (add_table (&self, db, error))
    return new_document (name, tp_cost_db_get_machine (db),
                         tp_elsewhere_count_threads (db), self.list);
  json_decref (self.list);
  return NULL;
}
