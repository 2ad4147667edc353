/* session-flight.h: several runs of a session under way at a time. */
#ifndef TP_RUNTIME_SESSION_FLIGHT_H
#define TP_RUNTIME_SESSION_FLIGHT_H

#include "runtime/engines.h"
#include "runtime/session-actions.h"

/* The last stage of making a session that has several slots, or @shared (nullable):
 * engines that it shares with others. */
void tp_session_flight_init (TpSession *session, TpEngines *shared);
void tp_session_flight_clear (TpSession *session);

/* Runs in the thread of the caller, beside runs that have other slots. */
gboolean tp_session_fly (const TpSessionRun *run, GError **error);

#endif
