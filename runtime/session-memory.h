/* session-memory.h: one arena per device, and all that has a place in it bound
 * to the launches. */
#ifndef TP_RUNTIME_SESSION_MEMORY_H
#define TP_RUNTIME_SESSION_MEMORY_H

#include "runtime/session.h"

gboolean tp_session_make_arenas (TpSession *session, GError **error);
gboolean tp_session_bind (TpSession *session, GError **error);

#endif
