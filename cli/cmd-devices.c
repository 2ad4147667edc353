/* cmd-devices.c: what this machine has, and what can be simulated. */
#include "config.h"

#include "api/devices.h"
#include "cli/cli.h"
#include "cli/drivers.h"
#include "cli/output.h"
#include "cli/text.h"
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
  text = json_dumps (answer, JSON_COMPACT);
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

static void
add_rows (TpTable *table, const json_t *list, const char *kind)
{
  gsize i;
  json_t *at;

  json_array_foreach (list, i, at)
    {
      const char *texts[] = { "description", "error", "reason" };
      const char *text = NULL;
      gint64 bytes
          = json_integer_value (json_object_get (at, "memory_bytes"));

      for (gsize k = 0; text == NULL && k < G_N_ELEMENTS (texts); k++)
        text = json_string_value (json_object_get (at, texts[k]));
      tp_table_add (
          table, g_strdup (json_string_value (json_object_get (at, "name"))),
          g_strdup (json_object_get (at, "error") != NULL ? "broken" : kind),
          bytes > 0 ? tp_cli_format_bytes (bytes) : NULL, g_strdup (text));
    }
}

static gboolean
devices_run (TpCli *cli, GError **error)
{
  static const char *const headers[]
      = { "DEVICE", "STATE", ">MEMORY", "DESCRIPTION", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  g_autofree char *answer = NULL;
  json_t *document;

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
  add_rows (table, json_object_get (document, "devices"), "ready");
  add_rows (table, json_object_get (document, "absent"), "absent");
  add_rows (table, json_object_get (document, "simulated"), "simulated");
  tp_table_print (table, cli);
  json_decref (document);
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
