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
  return tp_session_copy (run, src, run->slot->staging, FALSE, error)
         && tp_session_copy (run, dst, run->slot->staging, TRUE, error);
}

TpSessionDevice *
tp_session_get_unit_device (const TpSession *session, int unit)
{
  return &session->devices[session->execution->units->units[unit].device];
}

gboolean
tp_session_perform (const TpSessionRun *run, const TpAction *action,
                    GError **error)
{
  TpDevice *device;

  switch (action->kind)
    {
    case TP_DO_LAUNCH:
      device = tp_session_get_unit_device (run->session, action->unit)->device;
      return device->ops->launch (device, run->slot->launches[action->unit],
                                  error);
    case TP_DO_MOVE:
      return move_storage (run, action->src, action->dst, error);
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
