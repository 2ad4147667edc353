/* session.c: making, running and freeing a session. A run walks the actions in
 * order; everything was decided when the plan was spelled out. */
#include "config.h"

#include "runtime/session.h"

#include "ir/array.h"
#include "ir/clock.h"
#include "ir/guard.h"
#include "ir/plan-memory.h"
#include "ir/room.h"
#include "nest/nest.h"
#include "runtime/host.h"
#include "runtime/session-memory.h"
#include "runtime/session-private.h"
#include "runtime/session-steps.h"
#include "runtime/session-units.h"

#include <string.h>

/* Of an op: what it does in a run, its nests, its launch. */
#define SESSION_OP_BYTES ((gint64) 1024)

/* Takes @execution. */
static TpSession *
session_alloc (TpGraph *graph, TpPlan *plan, TpExecution *execution)
{
  g_autoptr (TpSession) session = g_new0 (TpSession, 1);

  session->graph = tp_graph_ref (graph);
  session->plan = tp_plan_ref (plan);
  session->execution = execution;
  session->devices = g_new0 (TpSessionDevice, execution->n_devices + 1);
  session->units = tp_new0 (TpSessionUnit, execution->units->n + 1);
  session->bufs = tp_new0 (TpBuf *, execution->n_storages + 1);
  session->step_of = tp_new0 (int, execution->n_actions + 1);
  session->steps = tp_array_new (sizeof (TpSessionStep));
  session->emitted = tp_new0 (void *, graph->n_outputs + 1);
  session->at = -1;
  return g_steal_pointer (&session);
}

/* Kernels want weights packed, and scratch, which no plan foretells. */
static gboolean
check_limits (const TpSession *session, GError **error)
{
  const TpPlan *plan = session->plan;

  for (int i = 0; i < plan->n_devices && plan->memory_limits != NULL; i++)
    {
      gint64 limit = plan->memory_limits[i];
      gint64 used = session->devices[i].device == NULL
                        ? 0
                        : session->devices[i].device->used_bytes;

      if (limit == 0 || used <= limit)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "device '%s' takes %" G_GINT64_FORMAT " bytes with weights "
                   "packed for kernels and their scratch, %" G_GINT64_FORMAT
                   " more than the plan's limit: plan with a limit that is "
                   "lower by so much",
                   plan->devices[i], used, used - limit);
      return FALSE;
    }
  return TRUE;
}

/* What a plan is made for, and a session does not do yet. */
static gboolean
check_states (const TpGraph *graph, GError **error)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state > 0)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                     "graph '%s' has state, such as '%s': such graphs are "
                     "planned, checked and explained, but not run yet",
                     graph->name,
                     graph->tensors[graph->tensors[i].state - 1].name);
        return FALSE;
      }
  return TRUE;
}

TpSession *
tp_session_new (TpGraph *graph, TpPlan *plan, const TpDeviceOptions *options,
                GError **error)
{
  TpExecution *execution
      = check_states (graph, error)
                && tp_room_check (graph->n_nodes * SESSION_OP_BYTES,
                                  "to make a session", error)
            ? tp_plan_spell_out (plan, graph, error)
            : NULL;
  g_autoptr (TpSession) session
      = execution == NULL ? NULL : session_alloc (graph, plan, execution);

  if (session == NULL || !tp_session_open_devices (session, options, error)
      || !tp_session_lower_units (session, error))
    return NULL;
  tp_session_make_steps (session);
  if (!tp_session_make_arenas (session, error)
      || !tp_session_bind (session, error) || !check_limits (session, error))
    return NULL;
  return g_steal_pointer (&session);
}

/* ---- freeing ------------------------------------------------------------ */

static void
free_units (TpSession *session)
{
  const TpUnits *units = session->execution->units;

  for (int i = 0; session->units != NULL && i < units->n; i++)
    {
      TpSessionUnit *unit = &session->units[i];
      TpDevice *device = session->devices[units->units[i].device].device;

      if (unit->launch != NULL)
        device->ops->free_launch (device, unit->launch);
      g_clear_pointer (&unit->lowered, tp_lowered_free);
    }
  g_free (session->units);
}

static void
free_device (TpSession *session, TpSessionDevice *there)
{
  if (there->device == NULL)
    return;
  if (there->code != NULL)
    there->device->ops->free_code (there->device, there->code);
  if (there->arena.device != NULL)
    tp_arena_drop (&there->arena, session->execution, session->bufs);
  tp_arena_clear (&there->arena);
  tp_device_info_clear (&there->info);
  tp_device_close (there->device);
}

void
tp_session_free (TpSession *session)
{
  if (session == NULL)
    return;
  free_units (session);
  for (int i = 0; i < session->execution->n_devices; i++)
    free_device (session, &session->devices[i]);
  for (int i = 0; session->emitted != NULL && i < session->graph->n_outputs;
       i++)
    g_free (session->emitted[i]);
  g_free (session->emitted);
  g_free (session->staging);
  g_free (session->devices);
  g_free (session->bufs);
  g_free (session->step_of);
  tp_array_unref (session->steps);
  tp_execution_free (session->execution);
  tp_plan_unref (session->plan);
  tp_graph_unref (session->graph);
  g_free (session);
}

/* ---- running ------------------------------------------------------------ */

static gboolean
copy_storage (TpSession *session, int storage, void *host, gboolean is_write,
              GError **error)
{
  TpDevice *device = tp_session_get_device (session, storage)->device;
  int tensor = session->execution->storages[storage].tensor;
  TpCopy copy = { session->bufs[storage], host,
                  session->graph->tensors[tensor].size_bytes, is_write };

  return device->ops->copy (device, &copy, error);
}

/* Host memory is read and written in place; two other devices meet there. */
static gboolean
move_storage (TpSession *session, int src, int dst, GError **error)
{
  if (tp_session_get_device (session, src)->info.is_host)
    return copy_storage (session, dst,
                         tp_host_buf_get_data (session->bufs[src]), TRUE,
                         error);
  if (tp_session_get_device (session, dst)->info.is_host)
    return copy_storage (session, src,
                         tp_host_buf_get_data (session->bufs[dst]), FALSE,
                         error);
  return copy_storage (session, src, session->staging, FALSE, error)
         && copy_storage (session, dst, session->staging, TRUE, error);
}

static TpSessionDevice *
get_unit_device (const TpSession *session, int unit)
{
  return &session->devices[session->execution->units->units[unit].device];
}

static gboolean
perform (TpSession *session, const TpAction *action, const void *const *inputs,
         void *const *outputs, GError **error)
{
  TpDevice *device;

  switch (action->kind)
    {
    case TP_DO_LAUNCH:
      device = get_unit_device (session, action->unit)->device;
      return device->ops->launch (device, session->units[action->unit].launch,
                                  error);
    case TP_DO_MOVE:
      return move_storage (session, action->src, action->dst, error);
    case TP_DO_FEED:
      return copy_storage (session, action->dst, (void *) inputs[action->input],
                           TRUE, error);
    case TP_DO_FETCH:
      return copy_storage (session, action->src, outputs[action->output],
                           FALSE, error);
    case TP_DO_PASS:
      memmove (outputs[action->output], inputs[action->input],
               action->size_bytes);
      return TRUE;
    case TP_DO_EMIT:
      memcpy (outputs[action->output], session->emitted[action->output],
              action->size_bytes);
      return TRUE;
    }
  g_assert_not_reached ();
}

static gboolean
wait_for_devices (TpSession *session, GError **error)
{
  for (int i = 0; i < session->execution->n_devices; i++)
    {
      TpDevice *device = session->devices[i].device;

      if (device != NULL && !device->ops->launch (device, NULL, error))
        return FALSE;
    }
  return TRUE;
}

/* For who follows the run. */
static void
stand_at (TpSession *session, int action)
{
  if (session->is_followed)
    g_atomic_int_set (&session->at, action);
}

/* Returns @is_good. */
static gboolean
end_run (TpSession *session, gboolean is_good)
{
  stand_at (session, -1);
  if (is_good && session->is_followed)
    g_atomic_int_inc (&session->n_runs);
  return is_good;
}

static gboolean
is_made_up (const TpSessionDevice *it)
{
  return it->device != NULL && it->device->ops->is_simulated;
}

static gboolean
is_virtual (const TpSession *session, const TpAction *action)
{
  return (action->unit >= 0
          && is_made_up (get_unit_device (session, action->unit)))
         || (action->src >= 0
             && is_made_up (tp_session_get_device (session, action->src)))
         || (action->dst >= 0
             && is_made_up (tp_session_get_device (session, action->dst)));
}

/* Time by the clocks of simulated devices. */
static gint64
sum_virtual_ns (const TpSession *session)
{
  gint64 time_ns = 0;

  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL)
      time_ns += session->devices[i].device->virtual_ns;
  return time_ns;
}

/* The time of one action, waited for: virtual where a simulated device has a
 * part in it. */
static gboolean
perform_timed (TpSession *session, int index, const void *const *inputs,
               void *const *outputs, GError **error)
{
  const TpAction *action = &session->execution->actions[index];
  int step = session->step_of[index];
  gint64 virtual_ns = sum_virtual_ns (session);
  gint64 start_ns = tp_clock_get_ns ();
  gint64 time_ns;

  stand_at (session, index);
  if (!perform (session, action, inputs, outputs, error)
      || !wait_for_devices (session, error))
    return FALSE;
  time_ns = tp_clock_get_ns () - start_ns;
  if (is_virtual (session, action))
    time_ns = sum_virtual_ns (session) - virtual_ns;
  if (step >= 0)
    tp_array_index (session->steps, TpSessionStep, step).measured_ns = time_ns;
  session->time_ns += time_ns;
  return TRUE;
}

gboolean
tp_session_run_profiled (TpSession *session, const void *const *inputs,
                         void *const *outputs, GError **error)
{
  session->time_ns = 0;
  for (int i = 0; i < session->execution->n_actions; i++)
    if (!perform_timed (session, i, inputs, outputs, error))
      return end_run (session, FALSE);
  return end_run (session, TRUE);
}

gboolean
tp_session_run (TpSession *session, const void *const *inputs,
                void *const *outputs, GError **error)
{
  gint64 start_ns = tp_clock_get_ns ();

  if (session->is_simulated)
    return tp_session_run_profiled (session, inputs, outputs, error);
  for (int i = 0; i < session->execution->n_actions; i++)
    {
      stand_at (session, i);
      if (!perform (session, &session->execution->actions[i], inputs, outputs,
                    error))
        return end_run (session, FALSE);
    }
  stand_at (session, session->execution->n_actions);
  if (!wait_for_devices (session, error))
    return end_run (session, FALSE);
  session->time_ns = tp_clock_get_ns () - start_ns;
  return end_run (session, TRUE);
}

gboolean
tp_session_run_watched (TpSession *session, const void *const *inputs,
                        void *const *outputs, TpSessionWatch watch,
                        GError **error)
{
  for (int i = 0; i < session->execution->n_actions; i++)
    if (!watch.call (session, i, TRUE, watch.data, error)
        || !perform (session, &session->execution->actions[i], inputs, outputs,
                     error)
        || !watch.call (session, i, FALSE, watch.data, error))
      return FALSE;
  return wait_for_devices (session, error);
}

/* ---- asking ------------------------------------------------------------- */

const TpSessionStep *
tp_session_get_steps (const TpSession *session, int *out_n)
{
  *out_n = session->steps->len;
  return (const TpSessionStep *) (void *) session->steps->data;
}

void
tp_session_get_memory (const TpSession *session, int device,
                       TpSessionMemory *out_memory)
{
  const TpExecution *execution = session->execution;
  const TpSessionDevice *there = &session->devices[device];

  *out_memory = (TpSessionMemory){ 0 };
  if (there->device == NULL)
    return;
  out_memory->arena_bytes = there->arena.size_bytes;
  out_memory->weight_bytes = there->device->weight_bytes;
  for (int i = 0; i < execution->n_storages; i++)
    if (execution->storages[i].device == device
        && execution->storages[i].is_constant)
      out_memory->weight_bytes += execution->storages[i].size_bytes;
  out_memory->workspace_bytes = there->device->used_bytes
                                - out_memory->arena_bytes
                                - out_memory->weight_bytes;
}

gint64
tp_session_get_time_ns (const TpSession *session)
{
  return session->time_ns;
}
