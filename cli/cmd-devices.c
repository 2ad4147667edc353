/* cmd-devices.c: what this machine has, and what can be simulated. */
#include "config.h"

#include "api/devices.h"
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/drivers.h"
#include "cli/output.h"
#include "cli/text.h"
#include "ir/guard.h"
#include "machine/machine.h"
#include "runtime/devices.h"

#include <string.h>

static json_t *
describe_device (const char *name, const TpDeviceOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpDevice) device = tp_device_open (name, options, &error);
  TpDeviceInfo info = { 0 };
  json_t *at;

  if (device == NULL)
    return json_pack ("{s:s, s:o}", "name", name, "error",
                      tp_cli_string (error->message));
  device->ops->describe (device, &info);
  at = json_pack ("{s:s, s:o, s:o, s:I, s:b}", "name", name, "description",
                  tp_cli_string (info.description), "identity",
                  tp_cli_string (info.identity), "memory_bytes",
                  (json_int_t) info.memory_bytes, "host", info.is_host);
  tp_device_info_clear (&info);
  return at;
}

/* Kinds of device of which this machine has none, and why. */
static json_t *
list_absent (void)
{
  json_t *absent = json_array ();
  int n;
  const TpDeviceOps *const *kinds = tp_device_list (&n);

  for (int i = 0; i < n; i++)
    {
      const char *reason = "none found";

      if (kinds[i]->count (&reason) == 0)
        json_array_append_new (absent,
                               json_pack ("{s:s, s:o}", "name", kinds[i]->name,
                                          "reason", tp_cli_string (reason)));
    }
  return absent;
}

static void
ask_devices (gpointer data, GString *out)
{
  const TpCli *cli = data;
  g_autoptr (GPtrArray) names = tp_device_names ();
  json_t *list = json_array ();
  json_t *answer;
  g_autofree char *text = NULL;

  for (guint i = 0; i < names->len; i++)
    json_array_append_new (
        list, describe_device (names->pdata[i], &cli->device_options));
  answer = json_pack ("{s:s, s:o, s:o}", "format", "tplan-devices/1",
                      "devices", list, "absent", list_absent ());
  text = tp_cli_dump_json (answer, JSON_COMPACT);
  if (text == NULL)
    tp_guard_leave (json_dumpb (answer, NULL, 0, JSON_COMPACT));
  json_decref (answer);
  g_string_append (out, text);
}

/* The machines that devices of @kind can be made of. */
static void
list_machines (const TpDeviceOps *kind, json_t *list)
{
  const char *const *names = tp_machine_list ();

  for (int i = 0; names[i] != NULL; i++)
    {
      g_autoptr (TpMachine) machine = tp_machine_parse (names[i], NULL);
      g_autofree char *name = g_strconcat (kind->name, ":", names[i], NULL);

      json_array_append_new (
          list, json_pack ("{s:s, s:s, s:f, s:f, s:I}", "name", name,
                           "description", machine->description, "gflops",
                           machine->peak_gflops, "gbps",
                           machine->bandwidth_gbps, "memory_bytes",
                           (json_int_t) machine->memory_bytes));
    }
}

static void
add_machines (json_t *document)
{
  json_t *list = json_array ();
  int n;
  const TpDeviceOps *const *kinds = tp_device_list (&n);

  for (int i = 0; i < n; i++)
    if (kinds[i]->is_simulated)
      list_machines (kinds[i], list);
  json_object_set_new (document, "simulated", list);
}

/* Of all three lists, each with its state. */
static json_t *
list_rows (const json_t *document)
{
  static const char *const lists[][2] = { { "devices", "ready" },
                                          { "absent", "absent" },
                                          { "simulated", "simulated" } };
  json_t *rows = json_array ();
  gsize i;
  json_t *at;

  for (gsize k = 0; k < G_N_ELEMENTS (lists); k++)
    json_array_foreach (json_object_get (document, lists[k][0]), i, at)
      {
        const char *texts[] = { "description", "error", "reason" };
        json_t *text = NULL, *bytes = json_object_get (at, "memory_bytes");

        for (gsize t = 0; text == NULL && t < G_N_ELEMENTS (texts); t++)
          text = json_object_get (at, texts[t]);
        json_array_append_new (
            rows, json_pack ("{s:O, s:s, s:O?, s:O?}", "name",
                             json_object_get (at, "name"), "state",
                             json_object_get (at, "error") != NULL
                                 ? "broken"
                                 : lists[k][1],
                             "memory_bytes", bytes, "description", text));
      }
  return rows;
}

static void
print_table (const TpCli *cli, const json_t *rows)
{
  static const char *const headers[]
      = { "DEVICE", "STATE", ">MEMORY", "DESCRIPTION", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  gsize i;
  json_t *at;

  json_array_foreach (rows, i, at)
    {
      gint64 bytes
          = json_integer_value (json_object_get (at, "memory_bytes"));

      tp_table_add (
          table, g_strdup (json_string_value (json_object_get (at, "name"))),
          g_strdup (json_string_value (json_object_get (at, "state"))),
          bytes > 0 ? tp_cli_format_bytes (bytes) : NULL,
          g_strdup (json_string_value (json_object_get (at, "description"))));
    }
  tp_table_print (table, cli);
}

static gboolean
devices_run (TpCli *cli, GError **error)
{
  g_autofree char *answer = NULL;
  json_t *document, *rows;

  tp_cli_meet_drivers_again (cli);
  answer = tp_devices_ask (ask_devices, cli, error);
  if (answer == NULL)
    return FALSE;
  document = json_loads (answer, 0, NULL);
  if (document == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                   "asking for devices failed: a driver wrote over the answer");
      return FALSE;
    }
  add_machines (document);
  if (cli->format == TP_FORMAT_JSON)
    {
      tp_cli_print_json (document);
      return TRUE;
    }
  rows = list_rows (document);
  json_decref (document);
  if (cli->format == TP_FORMAT_CSV)
    tp_cli_print_data (cli, json_pack ("{s:O}", "rows", rows), "rows");
  else
    print_table (cli, rows);
  json_decref (rows);
  return TRUE;
}

const TpCommand tp_command_devices = {
  .name = "devices",
  .arguments = "",
  .summary = "Lists the devices of this machine and the simulated ones",
  .details = "A device's NAME goes into --devices and --pin.",
  .uses = TP_USES_FORMAT | TP_USES_THREADS,
  .run = devices_run,
};
