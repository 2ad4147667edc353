/* session-flight.h: several runs of a session under way at a time. */
#ifndef TP_RUNTIME_SESSION_FLIGHT_H
#define TP_RUNTIME_SESSION_FLIGHT_H

#include "runtime/session-actions.h"

/* The last stage of making a session that has several slots. */
void tp_session_flight_init (TpSession *session);
void tp_session_flight_clear (TpSession *session);

/* Runs in the thread of the caller, beside runs that have other slots. */
gboolean tp_session_fly (const TpSessionRun *run, GError **error);

#endif
