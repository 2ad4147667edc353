/* session-units.c: the devices of a plan, and its units made ready for them. */
#include "config.h"

#include "runtime/session-units.h"

#include "ops/lower.h"
#include "runtime/devices.h"
#include "runtime/session-overlap.h"

static gboolean
open_device (TpSession *session, int device, const TpDeviceOptions *options,
             GError **error)
{
  TpSessionDevice *there = &session->devices[device];
  TpDeviceOptions its = options != NULL ? *options : (TpDeviceOptions){ 0 };

  if (there->device != NULL)
    return TRUE;
  its.is_shared = session->n_slots > 1 || tp_session_wants_overlap (session);
  its.is_guest = device != session->execution->host;
  its.is_mapped = !session->is_apart && session->plan->costs != NULL
                  && tp_costs_is_mapped (session->plan->costs, device);
  there->device = tp_device_open (session->plan->devices[device], &its, error);
  if (there->device == NULL)
    return FALSE;
  there->device->ops->describe (there->device, &there->info);
  session->is_simulated |= there->device->ops->is_simulated;
  return TRUE;
}

/* Some run nothing, and keep what others read. */
gboolean
tp_session_open_devices (TpSession *session, const TpDeviceOptions *options,
                         GError **error)
{
  const TpExecution *execution = session->execution;

  for (int i = 0; i < execution->units->n; i++)
    if (!open_device (session, execution->units->units[i].device, options, error))
      return FALSE;
  for (int i = 0; i < execution->n_storages; i++)
    if (!open_device (session, execution->storages[i].device, options, error))
      return FALSE;
  return TRUE;
}

gboolean
tp_session_has_maps (const TpSession *session)
{
  const TpCosts *costs = session->plan->costs;

  for (int i = 0; i < session->execution->n_devices; i++)
    if (!session->is_apart && costs != NULL && tp_costs_is_mapped (costs, i)
        && session->devices[i].device != NULL
        && !session->devices[i].info.is_mapped)
      return FALSE;
  return TRUE;
}

static int
find_written_on (const TpExecution *execution, const TpPlacedUnit *unit)
{
  for (int i = unit->n_read; i < unit->n_read + unit->n_written; i++)
    {
      int storage = tp_execution_find_storage (execution, unit->tensors[i],
                                               unit->device);

      if (execution->storages[storage].device != unit->device)
        return execution->storages[storage].device;
    }
  return -1;
}

gboolean
tp_session_lower_units (TpSession *session, GError **error)
{
  const TpUnits *units = session->execution->units;
  g_autofree const char **schedules
      = tp_plan_list_schedules (session->plan, session->graph);

  for (int i = 0; i < units->n; i++)
    {
      const TpPlacedUnit *it = &units->units[i];

      session->units[i].writes_on = find_written_on (session->execution, it);
      if (session->devices[it->device].info.runs_nodes)
        continue;
      session->units[i].lowered = tp_lower_nodes (session->graph, it->nodes,
                                                  it->n_nodes, error);
      if (session->units[i].lowered == NULL)
        return FALSE;
      session->units[i].schedule = schedules[it->nodes[0]];
    }
  return TRUE;
}
