/* origin.c: see origin.h. */
#include "config.h"

#include "cli/origin.h"

#include "calib/facts.h"
#include "cli/output.h"
#include "runtime/devices.h"

char *
tp_origin_find_difference (const TpPlan *plan, int device)
{
  const char *name = plan->devices[device];
  const char *then
      = plan->origin.facts == NULL ? NULL : plan->origin.facts[device];
  g_autofree char *now = NULL;

  if (then == NULL || *then == '\0' || tp_device_is_simulated (name))
    return NULL;
  now = tp_facts_gather (name, plan->origin.n_threads);
  return tp_facts_compare (then, now);
}

static gboolean
has_ops (const TpPlan *plan, int device)
{
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].device == device)
      return TRUE;
  return FALSE;
}

/* Of one that has ops. */
static char *
find_used (const TpPlan *plan, int device)
{
  return has_ops (plan, device) ? tp_origin_find_difference (plan, device)
                                : NULL;
}

void
tp_origin_note (const TpCli *cli, const TpPlan *plan, const char *what)
{
  for (int d = 0; d < plan->n_devices; d++)
    {
      g_autofree char *difference = find_used (plan, d);

      if (difference != NULL)
        tp_cli_note (cli,
                     "note: %s was made for another %s: %s; what it foretells "
                     "is not for this one: make it again with `tplan optimize`",
                     what, plan->devices[d], difference);
    }
}

json_t *
tp_origin_to_json (const TpPlan *plan)
{
  json_t *object = json_object ();

  for (int d = 0; d < plan->n_devices; d++)
    {
      g_autofree char *difference = find_used (plan, d);

      if (difference != NULL)
        json_object_set_new (object, plan->devices[d],
                             tp_cli_clean_string (difference));
    }
  return object;
}
