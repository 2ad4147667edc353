/* session-actions.c: what a run does, one action at a time. */
#include "config.h"

#include "runtime/session-actions.h"

#include "runtime/host.h"

#include <string.h>

gboolean
tp_session_copy (const TpSessionRun *run, int storage, void *host,
                 gboolean is_write, GError **error)
{
  const TpSession *session = run->session;
  TpDevice *device = tp_session_get_device (session, storage)->device;
  int tensor = session->execution->storages[storage].tensor;
  TpCopy copy = { run->slot->bufs[storage], host,
                  session->graph->tensors[tensor].size_bytes, is_write };

  return device->ops->copy (device, &copy, error);
}

/* What has been written to @storage, by the device it is on or (@is_write) by the
 * host, the other may read. */
static gboolean
hand_over (const TpSessionRun *run, int storage, gboolean is_write,
           GError **error)
{
  return tp_session_copy (run, storage, NULL, is_write, error);
}

/* Where one of the two is mapped: in its memory. */
static gboolean
move_mapped (const TpSessionRun *run, int src, int dst, GError **error)
{
  TpBuf *const *bufs = run->slot->bufs;
  TpDevice *to = tp_session_get_device (run->session, dst)->device;

  if (tp_session_is_mapped (run->session, src))
    return hand_over (run, src, FALSE, error)
           && tp_session_copy (run, dst, bufs[src]->data, TRUE, error);
  return to->ops->launch (to, NULL, error)
         && tp_session_copy (run, src, bufs[dst]->data, FALSE, error);
}

/* Host memory is read and written in place; two other devices meet there. */
static gboolean
move_storage (const TpSessionRun *run, int src, int dst, GError **error)
{
  TpBuf *const *bufs = run->slot->bufs;

  if (tp_session_get_device (run->session, src)->info.is_host)
    return tp_session_copy (run, dst, tp_host_buf_get_data (bufs[src]), TRUE,
                            error);
  if (tp_session_get_device (run->session, dst)->info.is_host)
    return tp_session_copy (run, src, tp_host_buf_get_data (bufs[dst]), FALSE,
                            error);
  if (tp_session_is_mapped (run->session, src)
      || tp_session_is_mapped (run->session, dst))
    return move_mapped (run, src, dst, error);
  return tp_session_copy (run, src, run->slot->staging, FALSE, error)
         && tp_session_copy (run, dst, run->slot->staging, TRUE, error);
}

TpSessionDevice *
tp_session_get_unit_device (const TpSession *session, int unit)
{
  return &session->devices[session->execution->units->units[unit].device];
}

/* One thing after the other; else who waits for whom is worked out before. */
static gboolean
is_in_turn (const TpSession *session)
{
  return session->flight == NULL && session->overlap == NULL;
}

/* The host writes into memory of a device that may not be done with what was there
 * before. */
static gboolean
wait_for_place (TpSession *session, int unit, GError **error)
{
  int other = session->units[unit].writes_on;
  TpSessionDevice *there = other < 0 ? NULL : &session->devices[other];

  if (there == NULL || !is_in_turn (session) || !there->is_working)
    return TRUE;
  there->is_working = FALSE;
  return there->device->ops->launch (there->device, NULL, error);
}

static gboolean
launch (const TpSessionRun *run, int unit, GError **error)
{
  TpSessionDevice *there = tp_session_get_unit_device (run->session, unit);

  if (!wait_for_place (run->session, unit, error))
    return FALSE;
  if (there->info.is_mapped && is_in_turn (run->session))
    there->is_working = TRUE;
  return there->device->ops->launch (there->device, run->slot->launches[unit],
                                     error);
}

static gboolean
move (const TpSessionRun *run, const TpAction *action, GError **error)
{
  int device = run->session->execution->storages[action->src].device;

  if (action->src == action->dst && action->to != device
      && is_in_turn (run->session))
    run->session->devices[device].is_working = FALSE;
  if (action->src == action->dst)
    return hand_over (run, action->src, action->to == device, error);
  return move_storage (run, action->src, action->dst, error);
}

gboolean
tp_session_perform (const TpSessionRun *run, const TpAction *action,
                    GError **error)
{
  switch (action->kind)
    {
    case TP_DO_LAUNCH:
      return launch (run, action->unit, error);
    case TP_DO_MOVE:
      return move (run, action, error);
    case TP_DO_FEED:
      return tp_session_copy (run, action->dst,
                              (void *) run->inputs[action->input], TRUE,
                              error);
    case TP_DO_FETCH:
      return tp_session_copy (run, action->src, run->outputs[action->output],
                              FALSE, error);
    case TP_DO_PASS:
      memmove (run->outputs[action->output], run->inputs[action->input],
               action->size_bytes);
      return TRUE;
    case TP_DO_EMIT:
      memcpy (run->outputs[action->output],
              run->session->emitted[action->output], action->size_bytes);
      return TRUE;
    }
  g_assert_not_reached ();
}

gboolean
tp_session_wait (const TpSession *session, GError **error)
{
  for (int i = 0; i < session->execution->n_devices; i++)
    {
      TpDevice *device = session->devices[i].device;

      if (device != NULL && !device->ops->launch (device, NULL, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- time ------------------------------------------------------------------ */

static gboolean
is_made_up (const TpSessionDevice *it)
{
  return it->device != NULL && it->device->ops->is_simulated;
}

gboolean
tp_session_is_virtual (const TpSession *session, int index)
{
  const TpAction *action = &session->execution->actions[index];

  return (action->unit >= 0
          && is_made_up (tp_session_get_unit_device (session, action->unit)))
         || (action->src >= 0
             && is_made_up (tp_session_get_device (session, action->src)))
         || (action->dst >= 0
             && is_made_up (tp_session_get_device (session, action->dst)));
}

gint64
tp_session_get_virtual_ns (const TpSession *session)
{
  gint64 time_ns = 0;

  for (int i = 0; i < session->execution->n_devices; i++)
    if (session->devices[i].device != NULL)
      time_ns += session->devices[i].device->virtual_ns;
  return time_ns;
}
