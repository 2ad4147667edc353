/* session-limits.h: does a session keep to the limits of memory of its plan? */
#ifndef TP_RUNTIME_SESSION_LIMITS_H
#define TP_RUNTIME_SESSION_LIMITS_H

#include "runtime/session.h"

/* Once all is bound: kernels want weights packed, and scratch, which no plan
 * foretells. TPLAN_ERROR_MEMORY: no. */
gboolean tp_session_check_limits (const TpSession *session, GError **error);

#endif
