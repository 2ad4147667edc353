/* session.c: plans made ready to run. */
#include "config.h"

#include "api/session.h"

#include "api/objects.h"

TplanSession *
tplan_session_new (const TplanPlan *plan, int n_threads, GError **error)
{
  TpDeviceOptions options = { .n_threads = n_threads };
  TplanSession *wrap;
  TpSession *session;

  g_return_val_if_fail (plan != NULL && n_threads >= 0, NULL);
  session = tp_session_new (plan->graph->graph, plan->plan, &options, error);
  if (session == NULL)
    return NULL;
  wrap = g_new0 (TplanSession, 1);
  wrap->session = session;
  return wrap;
}

TpSession *
tp_api_get_session (TplanSession *session)
{
  return session->session;
}

gboolean
tplan_session_run (TplanSession *session, const void *const *inputs,
                   void *const *outputs, GError **error)
{
  g_return_val_if_fail (session != NULL, FALSE);
  g_return_val_if_fail (inputs != NULL && outputs != NULL, FALSE);
  return tp_session_run (session->session, inputs, outputs, error);
}

gint64
tplan_session_get_time_ns (const TplanSession *session)
{
  g_return_val_if_fail (session != NULL, 0);
  return tp_session_get_time_ns (session->session);
}

void
tplan_session_free (TplanSession *session)
{
  if (session == NULL)
    return;
  tp_session_free (session->session);
  g_free (session);
}

const char *
tplan_get_version (void)
{
  return PACKAGE_VERSION;
}
