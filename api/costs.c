/* costs.c: devices and what is known of them. */
#include "config.h"

#include "api/devices.h"
#include "api/objects.h"
#include "planner/planner.h"

static gboolean
check_devices (const char *const *devices, GError **error)
{
  if (devices[0] == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "no device named: name one, such as 'cpu'");
      return FALSE;
    }
  for (int i = 0; devices[i] != NULL; i++)
    for (int k = 0; k < i; k++)
      if (g_str_equal (devices[i], devices[k]))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "device '%s' is named twice: leave one out",
                       devices[i]);
          return FALSE;
        }
  return TRUE;
}

/* Caller frees. */
static char **
choose_devices (const char *const *devices, GError **error)
{
  if (devices == NULL)
    return tp_devices_choose (error);
  return check_devices (devices, error) ? g_strdupv ((char **) devices) : NULL;
}

TplanCosts *
tplan_costs_open (const char *path, const char *const *devices, int n_threads,
                  GError **error)
{
  g_autoptr (TplanCosts) costs = g_new0 (TplanCosts, 1);
  g_autoptr (TpCostDb) db = NULL;

  g_return_val_if_fail (n_threads >= 0, NULL);
  costs->devices = choose_devices (devices, error);
  if (costs->devices == NULL)
    return NULL;
  db = tp_cost_db_open (path, TRUE, error); /* is it one? */
  if (db == NULL)
    return NULL;
  costs->path = g_strdup (path);
  costs->n_devices = (int) g_strv_length (costs->devices);
  costs->n_threads = n_threads;
  return g_steal_pointer (&costs);
}

void
tplan_costs_close (TplanCosts *costs)
{
  if (costs == NULL)
    return;
  g_free (costs->path);
  g_strfreev (costs->devices);
  g_free (costs);
}

TpCalibOptions
tp_costs_get_options (const TplanCosts *costs)
{
  return (TpCalibOptions){ .n_devices = costs->n_devices,
                           .devices = (const char *const *) costs->devices,
                           .n_threads = costs->n_threads };
}

gboolean
tplan_costs_calibrate (TplanCosts *costs, const TplanGraph *graph,
                       gint64 time_limit_ns, const volatile gint *cancelled,
                       GError **error)
{
  g_autoptr (TpCostDb) db = NULL;
  g_autoptr (TpGroups) groups = NULL;
  TpCalibOptions options;

  g_return_val_if_fail (costs != NULL && time_limit_ns >= 0, FALSE);
  options = tp_costs_get_options (costs);
  options.time_limit_ns = time_limit_ns;
  options.cancelled = cancelled;
  db = tp_cost_db_open (costs->path, FALSE, error);
  if (db == NULL)
    return FALSE;
  if (graph == NULL)
    return tp_calibrate (db, NULL, NULL, &options, error);
  groups = tp_fuse_find (graph->graph, NULL);
  return tp_calibrate (db, graph->graph, groups, &options, error);
}
