/* session.h: plans made ready to run. */
#ifndef TP_API_SESSION_H
#define TP_API_SESSION_H

#include "include/tplan.h"
#include "runtime/session.h"

/* Owned by @session. */
TpSession *tp_api_get_session (TplanSession *session);

#endif
