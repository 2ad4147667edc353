/* session.c: making, running and freeing a session. A run walks the actions in
 * order; everything was decided when the plan was spelled out. */
#include "config.h"

#include "runtime/session.h"

#include "ir/array.h"
#include "ir/clock.h"
#include "ir/guard.h"
#include "ir/plan-memory.h"
#include "ir/room.h"
#include "nest/nest.h"
#include "runtime/constant-value.h"
#include "runtime/devices.h"
#include "runtime/session-actions.h"
#include "runtime/session-flight.h"
#include "runtime/session-limits.h"
#include "runtime/session-loans.h"
#include "runtime/session-memory.h"
#include "runtime/session-overlap.h"
#include "runtime/session-private.h"
#include "runtime/session-recipes.h"
#include "runtime/session-states.h"
#include "runtime/session-steps.h"
#include "runtime/session-units.h"

/* Of an op: what it does in a run, its nests, its launch. */
#define SESSION_OP_BYTES ((gint64) 1024)

static void
slot_init (TpSessionSlot *slot, const TpExecution *execution)
{
  slot->arenas = g_new0 (TpArena, execution->n_devices + 1);
  slot->bufs = tp_new0 (TpBuf *, execution->n_storages + 1);
  slot->launches = tp_new0 (TpLaunch *, execution->units->n + 1);
  slot->at = -1;
}

/* Takes @execution. */
static TpSession *
session_alloc (TpGraph *graph, TpPlan *plan, TpExecution *execution,
               int n_slots)
{
  g_autoptr (TpSession) session = g_new0 (TpSession, 1);

  session->graph = tp_graph_ref (graph);
  session->plan = tp_plan_ref (plan);
  session->execution = execution;
  session->devices = g_new0 (TpSessionDevice, execution->n_devices + 1);
  session->units = tp_new0 (TpSessionUnit, execution->units->n + 1);
  session->n_slots = n_slots;
  session->slots = tp_new0 (TpSessionSlot, n_slots);
  for (int i = 0; i < session->n_slots; i++)
    slot_init (&session->slots[i], execution);
  session->step_of = tp_new0 (int, execution->n_actions + 1);
  session->steps = tp_array_new (sizeof (TpSessionStep));
  session->loans = tp_array_new (sizeof (TpSessionLoan));
  session->states = tp_array_new (sizeof (TpSessionState));
  session->recipes = tp_array_new (sizeof (TpSessionRecipe));
  session->emitted = tp_new0 (void *, graph->n_outputs + 1);
  return g_steal_pointer (&session);
}

/* One clock has no say when several runs share it. */
static gboolean
check_clock (const TpSession *session, GError **error)
{
  if (!session->is_simulated || session->n_slots == 1)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "%d runs in flight: simulated devices run one at a time",
               session->n_slots);
  return FALSE;
}

typedef struct
{
  TpGraph *graph;
  TpPlan *plan;
  int n_slots;
  const TpDeviceOptions *options;
  gboolean is_apart;
} Wanted;

static TpExecution *
spell_out (const Wanted *wanted, GError **error)
{
  const TpGraph *graph = wanted->graph;

  if (!tp_room_check (graph->n_nodes * SESSION_OP_BYTES,
                      "to make a session", error))
    return NULL;
  return wanted->is_apart ? tp_plan_spell_out_apart (wanted->plan, graph, error)
                          : tp_plan_spell_out (wanted->plan, graph, error);
}

/* Its devices are open. */
static TpSession *
open_session (const Wanted *wanted, GError **error)
{
  TpExecution *execution = spell_out (wanted, error);
  g_autoptr (TpSession) session
      = execution == NULL ? NULL
                          : session_alloc (wanted->graph, wanted->plan,
                                           execution, wanted->n_slots);

  if (session == NULL)
    return NULL;
  session->is_apart = wanted->is_apart;
  return tp_session_open_devices (session, wanted->options, error)
             ? g_steal_pointer (&session)
             : NULL;
}

/* With copies where a device is not mapped any more. */
static TpSession *
open_as_can_be (Wanted *wanted, GError **error)
{
  g_autoptr (TpSession) session = open_session (wanted, error);

  if (session == NULL || tp_session_has_maps (session))
    return g_steal_pointer (&session);
  wanted->is_apart = TRUE;
  return open_session (wanted, error);
}

/* How a recipe is made. */
typedef struct
{
  TpDeviceOptions options;
  gint64 used_bytes;          /* by that */
} Making;

/* A recipe is a graph: a session of it, each op by itself, makes the values. What was
 * read of the model's file is not read again. */
static gboolean
make_by_kernels (TpGraph *graph, void *const *values, gpointer data,
                 GError **error)
{
  Making *making = data;
  g_autoptr (TpPlan) plan = tp_plan_new_alone (graph, tp_device_find_host ());
  g_autoptr (TpSession) session
      = tp_session_new (graph, plan, &making->options, error);

  if (session == NULL || !tp_session_run (session, NULL, values, error))
    return FALSE;
  making->used_bytes = session->devices[0].device->used_bytes;
  for (int i = 0; i < graph->n_tensors; i++)
    tp_constant_let_go (&graph->tensors[i]);
  return TRUE;
}

static gboolean
hold_recipes (TpSession *session, const TpDeviceOptions *options,
              GError **error)
{
  Making making = { .used_bytes = 0 };
  const TpRecipeWay way = { make_by_kernels, &making, &making.used_bytes };

  if (options != NULL)
    making.options = (TpDeviceOptions){ .n_threads = options->n_threads,
                                        .code_cache = options->code_cache };
  return tp_session_hold_recipes (session, &way, error);
}

TpSession *
tp_session_new_in_flight (TpGraph *graph, TpPlan *plan, int n_slots,
                          const TpDeviceOptions *options, GError **error)
{
  Wanted wanted = { graph, plan, n_slots, options, FALSE };
  g_autoptr (TpSession) session = open_as_can_be (&wanted, error);

  if (session == NULL || !check_clock (session, error)
      || !tp_session_check_states (session, error)
      || !tp_session_lower_units (session, error))
    return NULL;
  tp_session_make_steps (session);
  tp_session_find_loans (session);
  if (!hold_recipes (session, options, error)
      || !tp_session_make_states (session, error)
      || !tp_session_make_arenas (session, error)
      || !tp_session_bind (session, error)
      || !tp_session_check_limits (session, error))
    return NULL;
  if (n_slots > 1)
    tp_session_flight_init (session, NULL);
  if (tp_session_wants_overlap (session)
      && !tp_session_overlap_init (session, error))
    return NULL;
  return g_steal_pointer (&session);
}

TpSession *
tp_session_new (TpGraph *graph, TpPlan *plan, const TpDeviceOptions *options,
                GError **error)
{
  return tp_session_new_in_flight (graph, plan, 1, options, error);
}

void
tp_session_share (TpSession *session, TpEngines *engines)
{
  if (session->is_simulated)
    return;
  tp_session_overlap_clear (session);
  tp_session_flight_clear (session);
  tp_session_flight_init (session, engines);
}

/* ---- freeing ------------------------------------------------------------ */

static void
free_launches (TpSession *session, TpSessionSlot *slot)
{
  const TpUnits *units = session->execution->units;

  for (int i = 0; slot->launches != NULL && i < units->n; i++)
    {
      TpDevice *device = session->devices[units->units[i].device].device;

      if (slot->launches[i] != NULL)
        device->ops->free_launch (device, slot->launches[i]);
    }
  g_free (slot->launches);
}

static void
free_units (TpSession *session)
{
  for (int i = 0; session->units != NULL && i < session->execution->units->n;
       i++)
    g_clear_pointer (&session->units[i].lowered, tp_lowered_free);
  g_free (session->units);
}

static void
free_code (TpSessionDevice *there)
{
  if (there->code != NULL)
    there->device->ops->free_code (there->device, there->code);
}

/* Others than the first only borrow constants. */
static void
forget_constants (const TpSession *session, TpSessionSlot *slot)
{
  const TpExecution *execution = session->execution;

  for (int i = 0; slot->bufs != NULL && i < execution->n_storages; i++)
    if (execution->storages[i].is_constant)
      slot->bufs[i] = NULL;
}

static void
free_slot (TpSession *session, TpSessionSlot *slot)
{
  if (slot != &session->slots[0])
    forget_constants (session, slot);
  for (int i = 0; slot->arenas != NULL && i < session->execution->n_devices;
       i++)
    {
      if (slot->arenas[i].device != NULL)
        tp_arena_drop (&slot->arenas[i], session->execution, slot->bufs);
      tp_arena_clear (&slot->arenas[i]);
    }
  g_free (slot->arenas);
  g_free (slot->bufs);
  g_free (slot->staging);
}

static void
free_device (TpSessionDevice *there)
{
  if (there->device == NULL)
    return;
  tp_device_info_clear (&there->info);
  tp_device_close (there->device);
}

void
tp_session_free (TpSession *session)
{
  if (session == NULL)
    return;
  tp_session_flight_clear (session);
  tp_session_overlap_clear (session);
  for (int i = 0; session->slots != NULL && i < session->n_slots; i++)
    free_launches (session, &session->slots[i]);
  free_units (session);
  for (int i = 0; i < session->execution->n_devices; i++)
    free_code (&session->devices[i]);
  tp_session_forget_states (session);
  for (int i = 0; session->slots != NULL && i < session->n_slots; i++)
    free_slot (session, &session->slots[i]);
  for (int i = 0; i < session->execution->n_devices; i++)
    free_device (&session->devices[i]);
  tp_session_leave (session);
  for (int i = 0; session->emitted != NULL && i < session->graph->n_outputs;
       i++)
    g_free (session->emitted[i]);
  g_free (session->emitted);
  g_free (session->slots);
  g_free (session->devices);
  g_free (session->step_of);
  tp_array_unref (session->steps);
  tp_array_unref (session->loans);
  tp_array_unref (session->states);
  tp_session_release_recipes (session, G_MAXINT);
  tp_array_unref (session->recipes);
  g_free (session->passage);
  tp_execution_free (session->execution);
  tp_plan_unref (session->plan);
  tp_graph_unref (session->graph);
  g_free (session);
}

/* ---- running ------------------------------------------------------------ */

/* For who follows the run. */
static void
stand_at (TpSession *session, int action)
{
  if (session->is_followed)
    g_atomic_int_set (&session->slots[0].at, action);
}

/* Returns @is_good. */
static gboolean
end_run (TpSession *session, gboolean is_good)
{
  stand_at (session, -1);
  if (is_good && session->is_followed)
    g_atomic_int_inc (&session->n_runs);
  return is_good;
}

/* The time of one action, waited for: virtual where a simulated device has a
 * part in it. */
static gboolean
perform_timed (TpSession *session, int index, const TpSessionRun *run,
               GError **error)
{
  const TpAction *action = &session->execution->actions[index];
  int step = session->step_of[index];
  gint64 virtual_ns = tp_session_get_virtual_ns (session);
  gint64 start_ns = tp_clock_get_ns ();
  gint64 time_ns;

  stand_at (session, index);
  if (!tp_session_perform (run, action, error)
      || !tp_session_wait (session, error))
    return FALSE;
  time_ns = tp_clock_get_ns () - start_ns;
  if (tp_session_is_virtual (session, index))
    time_ns = tp_session_get_virtual_ns (session) - virtual_ns;
  if (step >= 0)
    tp_array_index (session->steps, TpSessionStep, step).measured_ns = time_ns;
  run->slot->time_ns += time_ns;
  return TRUE;
}

static gboolean
run_profiled (const TpSessionRun *run, GError **error)
{
  TpSession *session = run->session;

  if (session->overlap != NULL)
    return tp_session_overlap_run (run, TRUE, error);
  run->slot->time_ns = 0;
  for (int i = 0; i < session->execution->n_actions; i++)
    if (!perform_timed (session, i, run, error))
      return end_run (session, FALSE);
  return end_run (session, TRUE);
}

static gboolean
run_plain (const TpSessionRun *run, GError **error)
{
  TpSession *session = run->session;
  gint64 start_ns = tp_clock_get_ns ();

  if (session->is_simulated)
    return run_profiled (run, error);
  if (session->overlap != NULL)
    return tp_session_overlap_run (run, FALSE, error);
  for (int i = 0; i < session->execution->n_actions; i++)
    {
      stand_at (session, i);
      if (!tp_session_perform (run, &session->execution->actions[i], error))
        return end_run (session, FALSE);
    }
  stand_at (session, session->execution->n_actions);
  if (!tp_session_wait (session, error))
    return end_run (session, FALSE);
  run->slot->time_ns = tp_clock_get_ns () - start_ns;
  return end_run (session, TRUE);
}

/* @way with what can be lent. */
static gboolean
run_lent (const TpSessionRun *run,
          gboolean (*way) (const TpSessionRun *run, GError **error),
          GError **error)
{
  gboolean is_good;

  tp_session_lend (run);
  is_good = way (run, error);
  tp_session_take_back (run);
  return is_good && tp_session_advance (run->session, error);
}

gboolean
tp_session_run_profiled (TpSession *session, const void *const *inputs,
                         void *const *outputs, GError **error)
{
  const TpSessionRun run = { session, &session->slots[0], inputs, outputs };

  return run_lent (&run, run_profiled, error);
}

gboolean
tp_session_run (TpSession *session, const void *const *inputs,
                void *const *outputs, GError **error)
{
  const TpSessionRun run = { session, &session->slots[0], inputs, outputs };

  return run_lent (&run, run_plain, error);
}

gboolean
tp_session_run_in_slot (TpSession *session, int slot,
                        const void *const *inputs, void *const *outputs,
                        GError **error)
{
  const TpSessionRun run = { session, &session->slots[slot], inputs, outputs };

  if (session->flight == NULL)
    return tp_session_run (session, inputs, outputs, error);
  if (!run_lent (&run, tp_session_fly, error))
    return FALSE;
  g_atomic_int_set (&session->last_slot, slot);
  return TRUE;
}

gboolean
tp_session_run_watched (TpSession *session, const void *const *inputs,
                        void *const *outputs, TpSessionWatch watch,
                        GError **error)
{
  const TpSessionRun run = { session, &session->slots[0], inputs, outputs };

  for (int i = 0; i < session->execution->n_actions; i++)
    if (!watch.call (session, i, TRUE, watch.data, error)
        || !tp_session_perform (&run, &session->execution->actions[i], error)
        || (session->overlap != NULL && !tp_session_wait (session, error))
        || !watch.call (session, i, FALSE, watch.data, error))
      return FALSE;
  return tp_session_wait (session, error);
}

/* ---- asking ------------------------------------------------------------- */

const TpSessionStep *
tp_session_get_steps (const TpSession *session, int *out_n)
{
  *out_n = session->steps->len;
  return (const TpSessionStep *) (void *) session->steps->data;
}

const TpDeviceInfo *
tp_session_get_info (const TpSession *session, int device)
{
  const TpSessionDevice *there = &session->devices[device];

  return there->device == NULL ? NULL : &there->info;
}

void
tp_session_get_memory (const TpSession *session, int device,
                       TpSessionMemory *out_memory)
{
  const TpSessionDevice *there = &session->devices[device];

  *out_memory = (TpSessionMemory){ 0 };
  if (there->device == NULL)
    return;
  for (int i = 0; i < session->n_slots; i++)
    out_memory->arena_bytes += session->slots[i].arenas[device].size_bytes;
  out_memory->weight_bytes
      = there->device->weight_bytes
        + tp_arena_count_constants (&session->slots[0].arenas[device],
                                    session->execution)
        - tp_session_count_shared (session, device);
  out_memory->workspace_bytes = there->device->used_bytes
                                - out_memory->arena_bytes
                                - out_memory->weight_bytes;
}

gint64
tp_session_get_time_ns (const TpSession *session)
{
  return session->slots[g_atomic_int_get (&session->last_slot)].time_ns;
}
