/* session.h: plans made ready to run. */
#ifndef TP_API_SESSION_H
#define TP_API_SESSION_H

#include "include/tplan.h"
#include "runtime/session.h"

/* What runs, and the plan of it, which is another once @session fell back. Owned
 * by @session, for as long as it lives. */
TpSession *tp_api_get_session (TplanSession *session);
const TpPlan *tp_api_get_session_plan (const TplanSession *session);

/* tplan_session_new_full () of a session that shares @engines (nullable) with others
 * for the same devices. */
TplanSession *tp_api_new_session (const TplanPlan *plan,
                                  const TplanSessionOptions *options,
                                  TpEngines *engines, GError **error);

#endif
