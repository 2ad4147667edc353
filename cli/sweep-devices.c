/* sweep-devices.c: see sweep-devices.h. */
#include "config.h"

#include "cli/sweep-devices.h"

static int
count_on (const TpPlan *plan, const guint8 *devices, int device)
{
  int n = 0;

  for (int i = 0; i < plan->n_placements; i++)
    n += devices[i] == device;
  return n;
}

json_t *
tp_sweep_devices_to_json (const TpPlan *plan, const guint8 *devices)
{
  json_t *object = json_object ();

  for (int d = 0; d < plan->n_devices; d++)
    json_object_set_new (object, plan->devices[d],
                         json_integer (count_on (plan, devices, d)));
  return object;
}

char *
tp_sweep_devices_format (const TpPlan *plan, const guint8 *devices)
{
  GString *text = g_string_new (NULL);

  for (int d = 0; d < plan->n_devices; d++)
    if (count_on (plan, devices, d) > 0)
      g_string_append_printf (text, "%s%d on %s", text->len > 0 ? ", " : "",
                              count_on (plan, devices, d), plan->devices[d]);
  return g_string_free (text, FALSE);
}
