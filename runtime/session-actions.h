/* session-actions.h: what a run does, one action at a time. */
#ifndef TP_RUNTIME_SESSION_ACTIONS_H
#define TP_RUNTIME_SESSION_ACTIONS_H

#include "runtime/session-private.h"

typedef struct
{
  TpSession *session;
  TpSessionSlot *slot;        /* that it has */
  const void *const *inputs;
  void *const *outputs;
} TpSessionRun;

TpSessionDevice *tp_session_get_unit_device (const TpSession *session,
                                             int unit);
/* Between @storage, written if @is_write, and @host. */
gboolean tp_session_copy (const TpSessionRun *run, int storage, void *host,
                          gboolean is_write, GError **error);
gboolean tp_session_perform (const TpSessionRun *run, const TpAction *action,
                             GError **error);
/* For all that was launched. */
gboolean tp_session_wait (const TpSession *session, GError **error);

/* By the clocks of simulated devices, all together. */
gint64 tp_session_get_virtual_ns (const TpSession *session);
/* Whether a simulated device has a part in action @index. */
gboolean tp_session_is_virtual (const TpSession *session, int index);

#endif
