/* session-limits.h: does a session keep to the limits of memory of its plan, and with those
 * of other plans to what is for all of them? */
#ifndef TP_RUNTIME_SESSION_LIMITS_H
#define TP_RUNTIME_SESSION_LIMITS_H

#include "runtime/ledger.h"
#include "runtime/session.h"

/* Once all is bound: kernels want weights packed, and scratch, which no plan
 * foretells. TPLAN_ERROR_MEMORY: no. */
gboolean tp_session_check_limits (const TpSession *session, GError **error);
/* Writes down what @session takes in @ledger, whose devices are numbered like those of its
 * plan, until it is freed. TPLAN_ERROR_MEMORY: beside what others take it is too much. */
gboolean tp_session_enter (TpSession *session, TpLedger *ledger,
                           GError **error);
/* When it is freed. */
void tp_session_leave (TpSession *session);

#endif
