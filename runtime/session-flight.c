/* session-flight.c: several runs of a session under way at a time: a pipeline.
 *
 * Each run does its actions in order, in memory of its own. What they share are the
 * engines: the kernels of a device, and either direction of its copies. A run has an
 * engine for as many actions as it does there in a row, in the thread of who called as
 * long as engines are free, else in those of the engines; waits until these have
 * ended, and hands it on. So within a run nothing
 * overlaps, and no action needs to know of which others it depends; with enough
 * runs the busiest engine is never idle, which is all that throughput asks. */
#include "config.h"

#include "runtime/session-flight.h"

#include "ir/clock.h"
#include "ir/guard.h"
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

static int
count_on_engine (const struct TpSessionFlight *flight, int first)
{
  int end = first + 1;

  while (end < flight->n_tasks
         && flight->tasks[end].engine == flight->tasks[first].engine)
    end++;
  return end - first;
}

/* How far a run is: who does what is next of it has it alone. */
typedef struct
{
  const TpSessionRun *run;
  int at;                     /* task */
  gboolean is_good;
  GError **error;
} Way;

/* The tasks in a row that use one engine. */
static void
perform_next (gpointer data)
{
  Way *way = data;
  const struct TpSessionFlight *flight = way->run->session->flight;
  int n = count_on_engine (flight, way->at);

  way->is_good = perform_all (way->run, &flight->tasks[way->at], n, way->error);
  way->at += n;
}

static gboolean
has_ended (const Way *way)
{
  return !way->is_good || way->at == way->run->session->flight->n_tasks;
}

/* Without an engine, as far as none is needed. */
static void
perform_free (Way *way)
{
  const struct TpSessionFlight *flight = way->run->session->flight;

  while (!has_ended (way) && flight->tasks[way->at].engine < 0)
    perform_next (way);
}

static void
perform_step (gpointer data)
{
  perform_next (data);
  perform_free (data);
}

/* In another thread than that of the run, which without memory is left by itself. */
static int
fly_on (gpointer data)
{
  Way *way = data;

  if (!tp_guard (perform_step, way, "to run this plan", way->error))
    way->is_good = FALSE;
  return has_ended (way) ? -1
                         : way->run->session->flight->tasks[way->at].engine;
}

gboolean
tp_session_fly (const TpSessionRun *run, GError **error)
{
  const struct TpSessionFlight *flight = run->session->flight;
  gint64 start_ns = tp_clock_get_ns ();
  Way way = { run, 0, TRUE, error };

  tp_engines_begin (flight->engines, get_slot (run));
  perform_free (&way);
  while (!has_ended (&way))
    {
      const TpEngineJob job = { flight->tasks[way.at].engine, get_slot (run),
                                fly_on, &way };
      g_auto (TpEngineHold) hold = { NULL, -1, 0 };

      if (!tp_engines_pass (flight->engines, &job, &hold))
        break;
      perform_next (&way);
      tp_engine_hold_clear (&hold);
      perform_free (&way);
    }
  run->slot->time_ns = tp_clock_get_ns () - start_ns;
  return way.is_good;
}
