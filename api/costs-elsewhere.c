/* costs-elsewhere.c: see costs-elsewhere.h. */
#include "config.h"

#include "api/costs-elsewhere.h"

#include "api/costs.h"
#include "api/elsewhere.h"
#include "api/objects.h"
#include "ir/near-name.h"
#include "runtime/devices.h"

#include <string.h>

/* The host, then the first of the others; NULL-terminated. */
static char **
choose_devices (const GPtrArray *rows)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (int is_host = 1; is_host >= 0; is_host--)
    for (guint i = 0, n = names->len; i < rows->len && names->len == n; i++)
      {
        const TpDeviceRow *row = rows->pdata[i];

        if (tp_device_is_host (row->name) == is_host)
          g_ptr_array_add (names, g_strdup (row->name));
      }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

static const TpDeviceRow *
find_row (const GPtrArray *rows, const char *name)
{
  for (guint i = 0; i < rows->len; i++)
    if (strcmp (((const TpDeviceRow *) rows->pdata[i])->name, name) == 0)
      return rows->pdata[i];
  return NULL;
}

static gboolean
check_names (const char *path, const GPtrArray *rows, char *const *devices,
             GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *list = NULL, *near = NULL;

  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (names, ((const TpDeviceRow *) rows->pdata[i])->name);
  g_ptr_array_add (names, NULL);
  for (; *devices != NULL; devices++)
    if (!tp_device_is_simulated (*devices)
        && find_row (rows, *devices) == NULL)
      {
        list = g_strjoinv (", ", (char **) names->pdata);
        near = tp_near_name_ask (*devices,
                                 (const char *const *) names->pdata);
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                     "%s: the machine has no device '%s'%s: there are %s",
                     path, *devices, near, list);
        return FALSE;
      }
  return TRUE;
}

static gboolean
choose_threads (TplanCosts *costs, TpCostDb *db, GError **error)
{
  int n = tp_elsewhere_count_threads (db);

  if (n == 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: devices[0]: facts: no number of threads: export it "
                   "again", costs->path);
      return FALSE;
    }
  if (costs->n_threads != 0 && costs->n_threads != n)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s: measured with %d threads, not %d: leave --threads out",
                   costs->path, n, costs->n_threads);
      return FALSE;
    }
  costs->n_threads = n;
  return TRUE;
}

TplanCosts *
tp_costs_of_elsewhere (const char *path, const char *const *devices,
                        int n_threads, GError **error)
{
  g_autoptr (TpCostDb) db = tp_elsewhere_open (path, error);
  g_autoptr (GPtrArray) rows
      = db == NULL ? NULL : tp_cost_db_list_devices (db, NULL, error);
  g_autoptr (TplanCosts) costs = NULL;

  if (rows == NULL)
    return NULL;
  costs = g_new0 (TplanCosts, 1);
  costs->path = g_strdup (path);
  costs->is_elsewhere = TRUE;
  costs->n_threads = n_threads;
  costs->devices = devices == NULL ? choose_devices (rows)
                                   : g_strdupv ((char **) devices);
  costs->n_devices = (int) g_strv_length (costs->devices);
  if (!tp_api_check_devices ((const char *const *) costs->devices, error)
      || !check_names (path, rows, costs->devices, error)
      || !choose_threads (costs, db, error))
    return NULL;
  return g_steal_pointer (&costs);
}
