/* session.c: plans made ready to run, and what becomes of them when a device is
 * lost. */
#include "config.h"

#include "api/session.h"

#include "api/objects.h"
#include "calib/facts.h"
#include "ir/guard.h"
#include "runtime/devices.h"

/* ---- falling back --------------------------------------------------------- */

/* The same ops in the same groups, all on the host; their schedules were measured
 * on other devices. NULL: there is no host here. */
static TpPlan *
make_host_plan (const TpPlan *plan, const TpGraph *graph)
{
  const char *host = tp_device_find_host ();
  g_autoptr (TpPlan) own = NULL;

  if (host == NULL)
    return NULL;
  own = tp_plan_new ();
  own->n_devices = 1;
  own->devices = g_new0 (char *, 2);
  own->devices[0] = g_strdup (host);
  own->n_placements = graph->n_nodes;
  own->placements = tp_new0 (TpPlacement, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    own->placements[i].node = i;
  own->groups = tp_groups_new ();
  for (int i = 0; plan->groups != NULL && i < plan->groups->n_groups; i++)
    tp_groups_add (own->groups, plan->groups->groups[i].nodes,
                   plan->groups->groups[i].n_nodes);
  return g_steal_pointer (&own);
}

/* Whether a session on the host could do what failed with @error. */
static gboolean
is_of_device (const TplanSession *wrap, const GError *error)
{
  return wrap->options.falls_back && wrap->fallback == NULL
         && (g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE)
             || g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY));
}

static gboolean
make (TplanSession *wrap, GError **error)
{
  const TpDeviceOptions options = { .n_threads = wrap->options.n_threads,
                                    .code_cache = wrap->options.cache };

  wrap->session = tp_session_new (wrap->graph, wrap->plan, &options, error);
  return wrap->session != NULL;
}

/* Takes *@failure, which is what failed. FALSE: it is handed on. */
static gboolean
fall_back (TplanSession *wrap, GError **failure, GError **error)
{
  TpPlan *own = is_of_device (wrap, *failure)
                    ? make_host_plan (wrap->plan, wrap->graph) : NULL;

  if (own == NULL)
    {
      g_propagate_error (error, g_steal_pointer (failure));
      return FALSE;
    }
  wrap->fallback = g_strdup ((*failure)->message);
  wrap->lost = g_steal_pointer (&wrap->session);
  tp_plan_unref (wrap->plan);
  wrap->plan = own;
  return make (wrap, error);
}

static gboolean
start_on_host (TplanSession *wrap, GError **error)
{
  TpPlan *own = make_host_plan (wrap->plan, wrap->graph);

  if (own == NULL)
    {
      g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                           "no device of this machine works in host memory");
      return FALSE;
    }
  wrap->fallback = g_strdup ("it was asked to");
  tp_plan_unref (wrap->plan);
  wrap->plan = own;
  return make (wrap, error);
}

/* ---- another machine ------------------------------------------------------- */

/* Kernels and figures are of the machine that the plan is for. */
static gboolean
check_machine (const TpPlan *plan, GError **error)
{
  const TpPlanOrigin *origin = &plan->origin;

  for (int i = 0; origin->machine != NULL && i < plan->n_devices; i++)
    {
      g_autofree char *now = NULL, *difference = NULL;

      if (tp_device_is_simulated (plan->devices[i]))
        continue;
      now = tp_facts_gather (plan->devices[i], origin->n_threads);
      difference = tp_facts_compare (origin->facts[i], now);
      if (difference == NULL)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_STALE,
                   "the plan is for another machine, '%s', and runs there "
                   "alone: device '%s': %s: plan for this one with `tplan "
                   "optimize`",
                   origin->machine, plan->devices[i], difference);
      return FALSE;
    }
  return TRUE;
}

/* ---- the calls ------------------------------------------------------------- */

static gboolean
start (TplanSession *wrap, GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (wrap->options.is_on_host)
    return start_on_host (wrap, error);
  if (!check_machine (wrap->plan, error))
    return FALSE;
  return make (wrap, &failure) || fall_back (wrap, &failure, error);
}

static gboolean
run (TplanSession *wrap, const void *const *inputs, void *const *outputs,
     GError **error)
{
  g_autoptr (GError) failure = NULL;

  return tp_session_run (wrap->session, inputs, outputs, &failure)
         || (fall_back (wrap, &failure, error)
             && tp_session_run (wrap->session, inputs, outputs, error));
}

typedef struct
{
  TplanSession *wrap;
  const void *const *inputs;
  void *const *outputs;
  GError **error;
  gboolean is_done;
} Call;

static void
start_call (gpointer data)
{
  Call *call = data;

  call->is_done = start (call->wrap, call->error);
}

static void
run_call (gpointer data)
{
  Call *call = data;

  call->is_done = run (call->wrap, call->inputs, call->outputs, call->error);
}

TplanSession *
tplan_session_new_full (const TplanPlan *plan,
                        const TplanSessionOptions *options, GError **error)
{
  Call call = { .error = error };
  TplanSession *wrap;

  g_return_val_if_fail (plan != NULL && options != NULL, NULL);
  g_return_val_if_fail (options->n_threads >= 0, NULL);
  wrap = g_new0 (TplanSession, 1);
  wrap->options = *options;
  wrap->options.cache = wrap->cache = g_strdup (options->cache);
  wrap->plan = tp_plan_ref (plan->plan);
  wrap->graph = tp_graph_ref (plan->graph->graph);
  call.wrap = wrap;
  tp_guard (start_call, &call, "to make a session", error);
  if (!call.is_done)
    g_clear_pointer (&wrap, tplan_session_free);
  return wrap;
}

TplanSession *
tplan_session_new (const TplanPlan *plan, int n_threads, GError **error)
{
  const TplanSessionOptions options = { .n_threads = n_threads };

  return tplan_session_new_full (plan, &options, error);
}

TpSession *
tp_api_get_session (TplanSession *session)
{
  return session->session;
}

const TpPlan *
tp_api_get_session_plan (const TplanSession *session)
{
  return session->plan;
}

const char *
tplan_session_get_fallback (const TplanSession *session)
{
  g_return_val_if_fail (session != NULL, NULL);
  return session->fallback;
}

gboolean
tplan_session_run (TplanSession *session, const void *const *inputs,
                   void *const *outputs, GError **error)
{
  Call call = { session, inputs, outputs, error, FALSE };

  g_return_val_if_fail (session != NULL, FALSE);
  g_return_val_if_fail (inputs != NULL && outputs != NULL, FALSE);
  if (session->session == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                   "the session could not go on when a device failed (%s): "
                   "make a new one", session->fallback);
      return FALSE;
    }
  tp_guard (run_call, &call, "to run this session", error);
  return call.is_done;
}

gint64
tplan_session_get_time_ns (const TplanSession *session)
{
  g_return_val_if_fail (session != NULL, 0);
  return session->session != NULL
             ? tp_session_get_time_ns (session->session) : 0;
}

void
tplan_session_free (TplanSession *session)
{
  if (session == NULL)
    return;
  tp_session_free (session->session);
  tp_session_free (session->lost);
  tp_plan_unref (session->plan);
  tp_graph_unref (session->graph);
  g_free (session->fallback);
  g_free (session->cache);
  g_free (session);
}
