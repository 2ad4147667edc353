/* device-bytes.c: see device-bytes.h. */
#include "config.h"

#include "cli/device-bytes.h"

#include "cli/text.h"

char *
tp_cli_format_device_bytes (const TpPlan *plan, const gint64 *bytes)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < plan->n_devices; i++)
    {
      g_autofree char *amount = tp_cli_format_bytes (bytes[i]);

      g_string_append_printf (text, "%s%s on %s", i == 0 ? "" : ", ", amount,
                              plan->devices[i]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

json_t *
tp_cli_device_bytes_to_json (const TpPlan *plan, const gint64 *bytes)
{
  json_t *object = json_object ();

  for (int i = 0; i < plan->n_devices; i++)
    json_object_set_new (object, plan->devices[i], json_integer (bytes[i]));
  return object;
}
