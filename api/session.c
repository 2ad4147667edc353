/* session.c: plans made ready to run, and what becomes of them when a device is
 * lost. */
#include "config.h"

#include "api/session.h"

#include "api/objects.h"
#include "api/plan.h"
#include "api/run.h"
#include "api/steps.h"
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
  g_clear_pointer (&wrap->steps, g_free);
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
run_once (TplanSession *wrap, const void *const *inputs, void *const *outputs,
          GError **error)
{
  return wrap->options.is_profiled
             ? tp_session_run_profiled (wrap->session, inputs, outputs, error)
             : tp_session_run (wrap->session, inputs, outputs, error);
}

static gboolean
run (TplanSession *wrap, const void *const *inputs, void *const *outputs,
     GError **error)
{
  g_autoptr (GError) failure = NULL;

  return run_once (wrap, inputs, outputs, &failure)
         || (fall_back (wrap, &failure, error)
             && run_once (wrap, inputs, outputs, error));
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

static gboolean
check_goes_on (const TplanSession *session, GError **error)
{
  if (session->session != NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "the session could not go on when a device failed (%s): "
               "make a new one", session->fallback);
  return FALSE;
}

/* Runs take turns, whichever threads they come from. */
static gboolean
run_in_turn (gpointer data, const void *const *inputs, void *const *outputs,
             GError **error)
{
  TplanSession *session = data;
  Call call = { session, inputs, outputs, error, FALSE };

  pthread_mutex_lock (&session->turn);
  if (check_goes_on (session, error))
    tp_guard (run_call, &call, "to run this session", error);
  pthread_mutex_unlock (&session->turn);
  return call.is_done;
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
  wrap->options.n_threads
      = tp_api_pick_threads (plan->plan, options->n_threads);
  wrap->options.cache = wrap->cache = g_strdup (options->cache);
  wrap->plan = tp_plan_ref (plan->plan);
  wrap->graph = tp_graph_ref (plan->graph->graph);
  pthread_mutex_init (&wrap->turn, NULL);
  wrap->runs = tp_run_queue_new (run_in_turn, wrap);
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
tplan_session_get_fallback (TplanSession *session)
{
  const char *why;

  g_return_val_if_fail (session != NULL, NULL);
  pthread_mutex_lock (&session->turn);
  why = session->fallback;
  pthread_mutex_unlock (&session->turn);
  return why;
}

gboolean
tplan_session_run (TplanSession *session, const void *const *inputs,
                   void *const *outputs, GError **error)
{
  g_return_val_if_fail (session != NULL, FALSE);
  g_return_val_if_fail (inputs != NULL && outputs != NULL, FALSE);
  return run_in_turn (session, inputs, outputs, error);
}

typedef struct
{
  TplanSession *session;
  TpRunArrays arrays;
  GError **error;
  TplanRun *run;
} SubmitCall;

static void
submit_call (gpointer data)
{
  SubmitCall *call = data;

  call->run = tp_run_queue_add (call->session->runs, &call->arrays,
                                call->error);
}

TplanRun *
tplan_session_submit (TplanSession *session, const void *const *inputs,
                      void *const *outputs, GError **error)
{
  SubmitCall call = { .session = session, .error = error };

  g_return_val_if_fail (session != NULL, NULL);
  g_return_val_if_fail (inputs != NULL && outputs != NULL, NULL);
  call.arrays = (TpRunArrays){ inputs, outputs, session->graph->n_inputs,
                               session->graph->n_outputs };
  tp_guard (submit_call, &call, "to submit a run", error);
  return call.run;
}

gint64
tplan_session_get_time_ns (TplanSession *session)
{
  gint64 time_ns;

  g_return_val_if_fail (session != NULL, 0);
  pthread_mutex_lock (&session->turn);
  time_ns = session->session != NULL
                ? tp_session_get_time_ns (session->session) : 0;
  pthread_mutex_unlock (&session->turn);
  return time_ns;
}

static void
steps_call (gpointer data)
{
  TplanSession *session = data;

  session->steps
      = tp_steps_foretell (session->session, session->plan, session->graph);
}

const TplanStep *
tplan_session_get_steps (TplanSession *session, int *out_n, GError **error)
{
  const TplanStep *steps = NULL;
  int n = 0;

  g_return_val_if_fail (session != NULL, NULL);
  pthread_mutex_lock (&session->turn);
  if (check_goes_on (session, error)
      && (session->steps != NULL
          || tp_guard (steps_call, session, "to list steps", error)))
    {
      tp_steps_measure (session->session, session->steps);
      tp_session_get_steps (session->session, &n);
      steps = session->steps;
    }
  pthread_mutex_unlock (&session->turn);
  tp_set_n (out_n, n);
  return steps;
}

void
tplan_session_free (TplanSession *session)
{
  if (session == NULL)
    return;
  tp_run_queue_close (session->runs);
  pthread_mutex_destroy (&session->turn);
  tp_session_free (session->session);
  tp_session_free (session->lost);
  tp_plan_unref (session->plan);
  tp_graph_unref (session->graph);
  g_free (session->steps);
  g_free (session->fallback);
  g_free (session->cache);
  g_free (session);
}
