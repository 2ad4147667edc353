/* session.c: making, running and freeing a session. A run walks the actions in
 * order; everything was decided when they were made. */
#include "config.h"

#include "runtime/session.h"

#include <string.h>
#include <time.h>

#include "nest/nest.h"
#include "runtime/session-private.h"

static TpSession *
session_alloc (TpGraph *graph, TpPlan *plan)
{
  TpSession *session = g_new0 (TpSession, 1);
  gsize n_places = (gsize) graph->n_tensors * plan->n_devices;

  session->graph = tp_graph_ref (graph);
  session->plan = tp_plan_ref (plan);
  session->n_devices = plan->n_devices;
  session->host = tp_plan_get_host (plan);
  session->devices = g_new0 (TpSessionDevice, plan->n_devices);
  session->roots = g_new (int, graph->n_tensors + 1);
  session->storage_of = g_new (int, n_places + 1);
  for (gsize i = 0; i < n_places; i++)
    session->storage_of[i] = -1;
  session->storages = g_array_new (FALSE, TRUE, sizeof (TpStorage));
  session->units = g_array_new (FALSE, TRUE, sizeof (TpSessionUnit));
  session->actions = g_array_new (FALSE, TRUE, sizeof (TpAction));
  session->steps = g_array_new (FALSE, TRUE, sizeof (TpSessionStep));
  session->emitted = g_new0 (void *, graph->n_outputs + 1);
  return session;
}

TpSession *
tp_session_new (TpGraph *graph, TpPlan *plan, const TpDeviceOptions *options,
                GError **error)
{
  g_autoptr (TpSession) session = session_alloc (graph, plan);

  if (!tp_session_open_devices (session, options, error)
      || !tp_session_make_units (session, error)
      || !tp_session_make_actions (session, error)
      || !tp_session_make_arenas (session, error)
      || !tp_session_bind (session, error))
    return NULL;
  return g_steal_pointer (&session);
}

/* ---- freeing ------------------------------------------------------------ */

static void
free_units (TpSession *session)
{
  for (guint i = 0; i < session->units->len; i++)
    {
      TpSessionUnit *unit = tp_session_get_unit (session, i);
      TpDevice *device = session->devices[unit->device].device;

      if (unit->launch != NULL)
        device->ops->free_launch (device, unit->launch);
      g_clear_pointer (&unit->lowered, tp_lowered_free);
      g_free (unit->nodes);
      g_free (unit->tensors);
      g_free (unit->is_output);
    }
}

static void
free_storages (TpSession *session)
{
  for (guint i = 0; i < session->storages->len; i++)
    {
      TpStorage *storage = tp_session_get_storage (session, i);
      TpDevice *device = session->devices[storage->device].device;

      if (storage->buf != NULL)
        device->ops->free_buf (device, storage->buf);
    }
}

static void
free_devices (TpSession *session)
{
  for (int i = 0; i < session->n_devices; i++)
    {
      TpSessionDevice *there = &session->devices[i];

      if (there->device == NULL)
        continue;
      if (there->code != NULL)
        there->device->ops->free_code (there->device, there->code);
      if (there->arena != NULL)
        there->device->ops->free_buf (there->device, there->arena);
      tp_device_info_clear (&there->info);
      tp_device_close (there->device);
    }
}

void
tp_session_free (TpSession *session)
{
  if (session == NULL)
    return;
  free_units (session);
  free_storages (session);
  free_devices (session);
  for (int i = 0; i < session->graph->n_outputs; i++)
    g_free (session->emitted[i]);
  g_free (session->emitted);
  g_free (session->staging);
  g_free (session->devices);
  g_free (session->roots);
  g_free (session->storage_of);
  g_array_unref (session->storages);
  g_array_unref (session->units);
  g_array_unref (session->actions);
  g_array_unref (session->steps);
  tp_plan_unref (session->plan);
  tp_graph_unref (session->graph);
  g_free (session);
}

/* ---- running ------------------------------------------------------------ */

static gint64
get_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static gboolean
copy_storage (TpSession *session, int storage, void *host, gboolean is_write,
              GError **error)
{
  const TpStorage *it = tp_session_get_storage (session, storage);
  TpDevice *device = session->devices[it->device].device;

  return device->ops->copy (device, it->buf, 0, host,
                            session->graph->tensors[it->tensor].size_bytes,
                            is_write, error);
}

/* Host memory is read and written in place; two other devices meet there. */
static gboolean
move_storage (TpSession *session, int src, int dst, GError **error)
{
  const TpStorage *from = tp_session_get_storage (session, src);
  const TpStorage *to = tp_session_get_storage (session, dst);

  if (session->devices[from->device].info.is_host)
    return copy_storage (session, dst, tp_host_buf_get_data (from->buf), TRUE,
                         error);
  if (session->devices[to->device].info.is_host)
    return copy_storage (session, src, tp_host_buf_get_data (to->buf), FALSE,
                         error);
  return copy_storage (session, src, session->staging, FALSE, error)
         && copy_storage (session, dst, session->staging, TRUE, error);
}

static gboolean
perform (TpSession *session, const TpAction *action, const void *const *inputs,
         void *const *outputs, GError **error)
{
  TpSessionUnit *unit;
  TpDevice *device;

  switch (action->kind)
    {
    case TP_DO_LAUNCH:
      unit = tp_session_get_unit (session, action->unit);
      device = session->devices[unit->device].device;
      return device->ops->launch (device, unit->launch, error);
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
  for (int i = 0; i < session->n_devices; i++)
    {
      TpDevice *device = session->devices[i].device;

      if (device != NULL && !device->ops->launch (device, NULL, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_virtual (const TpSession *session, const TpAction *action)
{
  int devices[] = {
    action->unit < 0 ? -1 : tp_session_get_unit (session, action->unit)->device,
    action->src < 0 ? -1
                    : tp_session_get_storage (session, action->src)->device,
    action->dst < 0 ? -1
                    : tp_session_get_storage (session, action->dst)->device,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    if (devices[i] >= 0 && session->devices[devices[i]].info.is_simulated)
      return TRUE;
  return FALSE;
}

/* Time by the clocks of simulated devices. */
static gint64
sum_virtual_ns (const TpSession *session)
{
  gint64 time_ns = 0;

  for (int i = 0; i < session->n_devices; i++)
    if (session->devices[i].device != NULL)
      time_ns += session->devices[i].device->virtual_ns;
  return time_ns;
}

/* The time of one action, waited for: virtual where a simulated device has a
 * part in it. */
static gboolean
perform_timed (TpSession *session, const TpAction *action,
               const void *const *inputs, void *const *outputs,
               GError **error)
{
  gint64 virtual_ns = sum_virtual_ns (session);
  gint64 start_ns = get_now_ns ();
  gint64 time_ns;

  if (!perform (session, action, inputs, outputs, error)
      || !wait_for_devices (session, error))
    return FALSE;
  time_ns = get_now_ns () - start_ns;
  if (is_virtual (session, action))
    time_ns = sum_virtual_ns (session) - virtual_ns;
  if (action->step >= 0)
    g_array_index (session->steps, TpSessionStep, action->step).measured_ns
        = time_ns;
  session->time_ns += time_ns;
  return TRUE;
}

gboolean
tp_session_run_profiled (TpSession *session, const void *const *inputs,
                         void *const *outputs, GError **error)
{
  session->time_ns = 0;
  for (guint i = 0; i < session->actions->len; i++)
    if (!perform_timed (session,
                        &g_array_index (session->actions, TpAction, i), inputs,
                        outputs, error))
      return FALSE;
  return TRUE;
}

gboolean
tp_session_run (TpSession *session, const void *const *inputs,
                void *const *outputs, GError **error)
{
  gint64 start_ns = get_now_ns ();

  if (session->is_simulated)
    return tp_session_run_profiled (session, inputs, outputs, error);
  for (guint i = 0; i < session->actions->len; i++)
    if (!perform (session, &g_array_index (session->actions, TpAction, i),
                  inputs, outputs, error))
      return FALSE;
  if (!wait_for_devices (session, error))
    return FALSE;
  session->time_ns = get_now_ns () - start_ns;
  return TRUE;
}

gboolean
tp_session_run_watched (TpSession *session, const void *const *inputs,
                        void *const *outputs, TpSessionWatch watch,
                        gpointer data, GError **error)
{
  for (guint i = 0; i < session->actions->len; i++)
    if (!watch (session, i, TRUE, data, error)
        || !perform (session, &g_array_index (session->actions, TpAction, i),
                     inputs, outputs, error)
        || !watch (session, i, FALSE, data, error))
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

gint64
tp_session_get_peak_bytes (const TpSession *session, int device)
{
  const TpDevice *there = session->devices[device].device;

  return there != NULL ? there->used_bytes : 0;
}

gint64
tp_session_get_time_ns (const TpSession *session)
{
  return session->time_ns;
}
