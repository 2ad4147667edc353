/* session-flight.c: several runs of a session under way at a time: a pipeline.
 *
 * Each run does its actions in order, in a thread of its own and in memory of its
 * own. What they share are the engines: the kernels of a device, and either
 * direction of its copies. A run has an engine for as many actions as it does there
 * in a row, waits until these have ended, and hands it on. So within a run nothing
 * overlaps, and no action needs to know of which others it depends; with enough
 * runs the busiest engine is never idle, which is all that throughput asks. */
#include "config.h"

#include "runtime/session-flight.h"

#include "ir/clock.h"
#include "runtime/engines.h"
#include "runtime/session-tasks.h"

struct TpSessionFlight
{
  TpEngines *engines;
  int first_slot;             /* of the session there */
  int n_tasks;
  TpSessionTask *tasks;
};

void
tp_session_flight_init (TpSession *session, TpEngines *shared)
{
  const TpExecution *execution = session->execution;
  struct TpSessionFlight *flight = g_new0 (struct TpSessionFlight, 1);

  session->flight = flight;
  flight->tasks = tp_session_list_tasks (session, &flight->n_tasks);
  flight->engines
      = shared != NULL
            ? tp_engines_ref (shared)
            : tp_engines_new (execution->n_devices * TP_ENGINE_KINDS);
  flight->first_slot = tp_engines_join (flight->engines, session->n_slots);
}

void
tp_session_flight_clear (TpSession *session)
{
  struct TpSessionFlight *flight = session->flight;

  if (flight == NULL)
    return;
  if (flight->engines != NULL)
    tp_engines_leave (flight->engines, flight->first_slot, session->n_slots);
  tp_engines_unref (flight->engines);
  g_free (flight->tasks);
  g_clear_pointer (&session->flight, g_free);
}

/* ---- running --------------------------------------------------------------- */

/* Of the run, among all that share the engines. */
static int
get_slot (const TpSessionRun *run)
{
  return run->session->flight->first_slot
         + (int) (run->slot - run->session->slots);
}

/* For who follows runs: -1: the run waits. */
static void
stand_at (const TpSessionRun *run, int action)
{
  if (run->session->is_followed)
    g_atomic_int_set (&run->slot->at, action);
}

/* Kernels are queued together and waited for at the end, but where somebody wants
 * to know which is at work. What was queued uses the memory of the run even when
 * the next could not be. */
static gboolean
perform_all (const TpSessionRun *run, const TpSessionTask *tasks, int n,
             GError **error)
{
  TpDevice *device = tp_session_find_task_device (run->session, &tasks[0]);
  gboolean is_good = TRUE;

  for (int i = 0; i < n && is_good; i++)
    {
      stand_at (run, tasks[i].action);
      is_good = tp_session_perform_task (run, &tasks[i], error);
      if (is_good && run->session->is_followed && device != NULL)
        is_good = device->ops->launch (device, NULL, error);
      if (is_good && run->session->is_followed)
        g_atomic_int_inc (&run->session->n_runs);
    }
  if (device != NULL)
    is_good = device->ops->launch (device, NULL, is_good ? error : NULL)
              && is_good;
  stand_at (run, -1);
  return is_good;
}

/* @n tasks from @first use one engine. */
static gboolean
perform_on_engine (const TpSessionRun *run, int first, int n, GError **error)
{
  const struct TpSessionFlight *flight = run->session->flight;
  const TpSessionTask *tasks = &flight->tasks[first];
  g_auto (TpEngineHold) hold
      = tp_engines_take (flight->engines, tasks[0].engine, get_slot (run));

  return perform_all (run, tasks, n, error);
}

static int
count_on_engine (const struct TpSessionFlight *flight, int first)
{
  int end = first + 1;

  while (end < flight->n_tasks
         && flight->tasks[end].engine == flight->tasks[first].engine)
    end++;
  return end - first;
}

gboolean
tp_session_fly (const TpSessionRun *run, GError **error)
{
  const struct TpSessionFlight *flight = run->session->flight;
  gint64 start_ns = tp_clock_get_ns ();
  int n;

  tp_engines_begin (flight->engines, get_slot (run));
  for (int i = 0; i < flight->n_tasks; i += n)
    {
      n = count_on_engine (flight, i);
      if (!perform_on_engine (run, i, n, error))
        return FALSE;
    }
  run->slot->time_ns = tp_clock_get_ns () - start_ns;
  return TRUE;
}
