/* session.c: plans made ready to run, and what becomes of them when a device is
 * lost. */
#include "config.h"

#include "api/session.h"

#include "api/objects.h"
#include "api/plan.h"
#include "api/run.h"
#include "api/slots.h"
#include "api/steps.h"
#include "calib/facts.h"
#include "ir/guard.h"
#include "runtime/devices.h"
#include "runtime/session-limits.h"
#include "runtime/session-states.h"

#include <string.h>

#define MOST_IN_FLIGHT 64     /* each has a thread */

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
  own = tp_plan_new_alone (graph, host);
  for (int i = 0; plan->groups != NULL && i < plan->groups->n_groups; i++)
    tp_groups_add_copy (own->groups, &plan->groups->groups[i]);
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
has_states (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state > 0)
      return TRUE;
  return FALSE;
}

/* A run that is timed step by step is alone; one that begins with what the one before
 * left waits for it. */
static int
count_slots (const TplanSession *wrap)
{
  return wrap->options.is_profiled || has_states (wrap->graph)
             ? 1 : MAX (wrap->options.n_in_flight, 1);
}

/* With others that were planned with it; on the host alone it has other devices than
 * those it was to share. */
static gboolean
share (const TplanSession *wrap, TpSession *session, GError **error)
{
  if (wrap->fallback != NULL)
    return TRUE;
  if (wrap->ledger != NULL && !tp_session_enter (session, wrap->ledger, error))
    return FALSE;
  if (wrap->engines != NULL)
    tp_session_share (session, wrap->engines);
  return TRUE;
}

static gboolean
make (TplanSession *wrap, GError **error)
{
  const TpDeviceOptions options = { .n_threads = wrap->options.n_threads,
                                    .code_cache = wrap->options.cache };
  g_autoptr (TpSession) session
      = tp_session_new_in_flight (wrap->graph, wrap->plan,
                                  count_slots (wrap), &options, error);

  if (session == NULL || !share (wrap, session, error))
    return FALSE;
  wrap->session = g_steal_pointer (&session);
  return TRUE;
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

/* A run, or the start of a session, guarded. */
typedef struct
{
  TplanSession *wrap;
  const void *const *inputs;
  void *const *outputs;
  int slot;
  TpSession *session;         /* that it ran on */
  GError **error;
  gboolean is_done;
  gboolean is_unwound;        /* no memory here; that is no fault of a device */
} Call;

static void
start_call (gpointer data)
{
  Call *call = data;

  call->is_done = start (call->wrap, call->error);
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

static void
run_call (gpointer data)
{
  Call *call = data;
  TplanSession *wrap = call->wrap;

  call->is_done
      = wrap->options.is_profiled
            ? tp_session_run_profiled (wrap->session, call->inputs,
                                       call->outputs, call->error)
            : tp_session_run_in_slot (wrap->session, call->slot, call->inputs,
                                      call->outputs, call->error);
}

static gboolean
run_in_slot (Call *call)
{
  TplanSession *wrap = call->wrap;

  call->is_done = FALSE;
  call->slot = tp_slots_take (wrap->slots);
  call->session = wrap->session;
  if (check_goes_on (wrap, call->error))
    call->is_unwound
        = !tp_guard (run_call, call, "to run this session", call->error);
  tp_slots_give (wrap->slots, call->slot);
  return call->is_done;
}

typedef struct
{
  const Call *run;
  GError **failure;           /* of it */
  GError **error;             /* why nothing can be done */
  gboolean is_done;
} Recovery;

/* The session goes on, but this run cannot be done again: what the ones before it left
 * was on the device. */
static gboolean
check_states_kept (const TplanSession *wrap, GError **error)
{
  if (!has_states (wrap->graph))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "%s: the session goes on on the host, but what its states had is "
               "lost, and they are zeros: give them values, or begin anew",
               wrap->fallback);
  return FALSE;
}

static void
recover_call (gpointer data)
{
  Recovery *recovery = data;
  TplanSession *wrap = recovery->run->wrap;

  recovery->is_done
      = fall_back (wrap, recovery->failure, recovery->error)
        && check_states_kept (wrap, recovery->error);
}

/* Others may have failed with @run: the first to come here falls back for all. */
static gboolean
recover (const Call *run, GError **failure, GError **error)
{
  TplanSession *wrap = run->wrap;
  Recovery recovery = { run, failure, error, FALSE };

  tp_slots_take_all (wrap->slots);
  if (wrap->session != NULL && wrap->session != run->session)
    recovery.is_done = check_states_kept (wrap, error);
  else if (run->session != NULL && !run->is_unwound)
    tp_guard (recover_call, &recovery, "to go on with this session", error);
  else
    g_propagate_error (error, g_steal_pointer (failure));
  tp_slots_give_all (wrap->slots);
  return recovery.is_done;
}

/* As many runs are under way as there are slots, whichever threads they come
 * from. */
static gboolean
run_in_turn (gpointer data, const void *const *inputs, void *const *outputs,
             GError **error)
{
  g_autoptr (GError) failure = NULL;
  Call call = { .wrap = data, .inputs = inputs, .outputs = outputs,
                .error = &failure };

  if (run_in_slot (&call))
    return TRUE;
  if (!recover (&call, &failure, error))
    return FALSE;
  g_clear_error (&failure);
  call.error = error;
  return run_in_slot (&call);
}

/* ---- states ---------------------------------------------------------------- */

typedef struct
{
  TplanSession *session;
  int tensor;
  const void *value;          /* (nullable) */
  void *out_value;            /* NULL: it is set */
  GError **error;
  gboolean is_done;
} StateCall;

static void
state_call (gpointer data)
{
  StateCall *call = data;
  TpSession *session = call->session->session;

  call->is_done
      = call->out_value == NULL
            ? tp_session_set_state (session, call->tensor, call->value,
                                    call->error)
            : tp_session_get_state (session, call->tensor, call->out_value,
                                    call->error);
}

static int
find_state (const TpGraph *graph, const char *name, GError **error)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].state == 1 + i
        && strcmp (graph->tensors[i].name, name) == 0)
      return i;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "graph '%s' has no state '%s': see tplan_graph_get_states ()",
               graph->name, name);
  return -1;
}

static gboolean
do_state (StateCall *call, const char *name)
{
  TplanSession *session = call->session;

  call->tensor = find_state (session->graph, name, call->error);
  if (call->tensor < 0)
    return FALSE;
  tp_slots_take_all (session->slots);
  if (check_goes_on (session, call->error))
    tp_guard (state_call, call, "to reach a state", call->error);
  tp_slots_give_all (session->slots);
  return call->is_done;
}

gboolean
tplan_session_set_state (TplanSession *session, const char *name,
                         const void *value, GError **error)
{
  StateCall call = { .session = session, .value = value, .error = error };

  g_return_val_if_fail (session != NULL && name != NULL, FALSE);
  return do_state (&call, name);
}

gboolean
tplan_session_get_state (TplanSession *session, const char *name,
                         void *out_value, GError **error)
{
  StateCall call
      = { .session = session, .out_value = out_value, .error = error };

  g_return_val_if_fail (session != NULL && name != NULL, FALSE);
  g_return_val_if_fail (out_value != NULL, FALSE);
  return do_state (&call, name);
}

/* ---- making ---------------------------------------------------------------- */

static gboolean
check_options (const TplanSessionOptions *options, GError **error)
{
  if (options->n_in_flight <= MOST_IN_FLIGHT)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%d runs in flight: a session has %d at most",
               options->n_in_flight, MOST_IN_FLIGHT);
  return FALSE;
}

TplanSession *
tp_api_new_session (const TplanPlan *plan, const TplanSessionOptions *options,
                    TpEngines *engines, GError **error)
{
  Call call = { .error = error };
  TplanSession *wrap;

  if (!check_options (options, error))
    return NULL;
  wrap = g_new0 (TplanSession, 1);
  wrap->options = *options;
  wrap->options.n_threads
      = tp_api_pick_threads (plan->plan, options->n_threads);
  wrap->options.cache = wrap->cache = g_strdup (options->cache);
  wrap->engines = engines == NULL ? NULL : tp_engines_ref (engines);
  wrap->ledger = plan->ledger == NULL ? NULL : tp_ledger_ref (plan->ledger);
  wrap->plan = tp_plan_ref (plan->plan);
  wrap->graph = tp_graph_ref (plan->graph->graph);
  wrap->slots = tp_slots_new (count_slots (wrap));
  wrap->runs = tp_run_queue_new (count_slots (wrap), run_in_turn, wrap);
  call.wrap = wrap;
  tp_guard (start_call, &call, "to make a session", error);
  if (!call.is_done)
    g_clear_pointer (&wrap, tplan_session_free);
  return wrap;
}

TplanSession *
tplan_session_new_full (const TplanPlan *plan,
                        const TplanSessionOptions *options, GError **error)
{
  g_return_val_if_fail (plan != NULL && options != NULL, NULL);
  g_return_val_if_fail (options->n_threads >= 0, NULL);
  g_return_val_if_fail (options->n_in_flight >= 0, NULL);
  return tp_api_new_session (plan, options, NULL, error);
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
  tp_slots_take_all (session->slots);
  why = session->fallback;
  tp_slots_give_all (session->slots);
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
  tp_slots_take_all (session->slots);
  time_ns = session->session != NULL
                ? tp_session_get_time_ns (session->session) : 0;
  tp_slots_give_all (session->slots);
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
  tp_slots_take_all (session->slots);
  if (check_goes_on (session, error)
      && (session->steps != NULL
          || tp_guard (steps_call, session, "to list steps", error)))
    {
      tp_steps_measure (session->session, session->steps);
      tp_session_get_steps (session->session, &n);
      steps = session->steps;
    }
  tp_slots_give_all (session->slots);
  tp_set_n (out_n, n);
  return steps;
}

void
tplan_session_free (TplanSession *session)
{
  if (session == NULL)
    return;
  tp_run_queue_close (session->runs);
  tp_slots_free (session->slots);
  tp_session_free (session->session);
  tp_session_free (session->lost);
  tp_engines_unref (session->engines);
  tp_ledger_unref (session->ledger);
  tp_plan_unref (session->plan);
  tp_graph_unref (session->graph);
  g_free (session->steps);
  g_free (session->fallback);
  g_free (session->cache);
  g_free (session);
}
