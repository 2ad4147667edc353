/* tuned.c: see tuned.h. */
#include "config.h"

#include "api/tuned.h"

#include "api/objects.h"
#include "calib/cost-db.h"
#include "planner/fuse.h"
#include "runtime/devices.h"

static gboolean
has_schedules (const char *device)
{
  const TpDeviceOps *kind = tp_device_find_kind (device, NULL);

  return kind != NULL && !kind->is_simulated && !kind->runs_nodes;
}

TpPointers *
tp_api_read_tuned (const TplanCosts *costs, const TplanGraph *graph,
                   const TpTunedAsked *asked, GError **error)
{
  g_autoptr (TpPointers) all
      = tp_pointers_new ((GDestroyNotify) tp_tuned_free);
  g_autoptr (TpCostDb) db = tp_cost_db_open (costs->path, TRUE, error);
  g_autoptr (TpGroups) groups = NULL;
  g_autoptr (TpKeys) keys = NULL;

  if (db == NULL)
    return NULL;
  groups = tp_fuse_find_all (graph->graph, NULL,
                             (const char *const *) costs->devices);
  keys = tp_keys_new (graph->graph, groups, TRUE);
  for (int i = 0; i < costs->n_devices; i++)
    {
      const TpTunedScope scope = { costs->devices[i], costs->n_threads,
                                   asked->is_all, asked->is_relaxed,
                                   asked->kernel };
      TpTuned *tuned;

      if (!has_schedules (costs->devices[i]))
        continue;
      tuned = tp_tuned_read (db, keys, &scope, error);
      if (tuned == NULL)
        return NULL;
      tp_pointers_add (all, tuned);
    }
  return g_steal_pointer (&all);
}
