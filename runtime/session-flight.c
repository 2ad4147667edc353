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
#include "ir/guard.h"
#include "runtime/engines.h"

typedef enum
{
  WHOLE,
  FIRST_HALF,                 /* of a move between devices that both have memory of
                               * their own: to the host */
  SECOND_HALF,                /* and from it */
} Part;

typedef struct
{
  int action;
  Part part;
  int engine;                 /* -1: it needs none */
} Task;

struct TpSessionFlight
{
  TpEngines *engines;
  int n_tasks;
  Task *tasks;
};

/* ---- which engine ---------------------------------------------------------- */

static int
get_engine (const TpSession *session, int storage, TpEngineKind kind)
{
  return session->execution->storages[storage].device * TP_ENGINE_KINDS
         + (int) kind;
}

static gboolean
is_host (const TpSession *session, int storage)
{
  return tp_session_get_device (session, storage)->info.is_host;
}

/* Copies within host memory need no engine. */
static Task
make_task (const TpSession *session, int index)
{
  const TpAction *action = &session->execution->actions[index];
  Task task = { index, WHOLE, -1 };

  if (action->kind == TP_DO_LAUNCH)
    task.engine
        = session->execution->units->units[action->unit].device
              * TP_ENGINE_KINDS
          + TP_ENGINE_KERNELS;
  else if (action->src >= 0 && !is_host (session, action->src))
    task.engine = get_engine (session, action->src, TP_ENGINE_FROM);
  else if (action->dst >= 0 && !is_host (session, action->dst))
    task.engine = get_engine (session, action->dst, TP_ENGINE_TO);
  return task;
}

static gboolean
has_halves (const TpSession *session, const TpAction *action)
{
  return action->kind == TP_DO_MOVE && !is_host (session, action->src)
         && !is_host (session, action->dst);
}

static void
add_tasks (const TpSession *session, struct TpSessionFlight *flight, int index)
{
  const TpAction *action = &session->execution->actions[index];
  Task task = make_task (session, index);

  if (has_halves (session, action))
    {
      task.part = FIRST_HALF;
      flight->tasks[flight->n_tasks++] = task;
      task.part = SECOND_HALF;
      task.engine = get_engine (session, action->dst, TP_ENGINE_TO);
    }
  flight->tasks[flight->n_tasks++] = task;
}

void
tp_session_flight_init (TpSession *session)
{
  const TpExecution *execution = session->execution;
  struct TpSessionFlight *flight = g_new0 (struct TpSessionFlight, 1);

  session->flight = flight;
  flight->tasks = tp_new0 (Task, 2 * (gsize) execution->n_actions + 1);
  for (int i = 0; i < execution->n_actions; i++)
    add_tasks (session, flight, i);
  flight->engines = tp_engines_new (execution->n_devices * TP_ENGINE_KINDS,
                                    session->n_slots);
}

void
tp_session_flight_clear (TpSession *session)
{
  if (session->flight == NULL)
    return;
  tp_engines_free (session->flight->engines);
  g_free (session->flight->tasks);
  g_clear_pointer (&session->flight, g_free);
}

/* ---- running --------------------------------------------------------------- */

static gboolean
perform (const TpSessionRun *run, const Task *task, GError **error)
{
  const TpAction *action = &run->session->execution->actions[task->action];
  void *staging = run->slot->staging;

  switch (task->part)
    {
    case WHOLE:
      return tp_session_perform (run, action, error);
    case FIRST_HALF:
      return tp_session_copy (run, action->src, staging, FALSE, error);
    case SECOND_HALF:
      return tp_session_copy (run, action->dst, staging, TRUE, error);
    }
  g_assert_not_reached ();
}

/* For who follows runs: -1: the run waits. */
static void
stand_at (const TpSessionRun *run, int action)
{
  if (run->session->is_followed)
    g_atomic_int_set (&run->slot->at, action);
}

/* The device with the kernels of @task; NULL: it is a copy. */
static TpDevice *
find_device (const TpSession *session, const Task *task)
{
  const TpAction *action = &session->execution->actions[task->action];

  return action->kind == TP_DO_LAUNCH
             ? tp_session_get_unit_device (session, action->unit)->device
             : NULL;
}

/* Kernels are queued together and waited for at the end, but where somebody wants
 * to know which is at work. What was queued uses the memory of the run even when
 * the next could not be. */
static gboolean
perform_all (const TpSessionRun *run, const Task *tasks, int n, GError **error)
{
  TpDevice *device = find_device (run->session, &tasks[0]);
  gboolean is_good = TRUE;

  for (int i = 0; i < n && is_good; i++)
    {
      stand_at (run, tasks[i].action);
      is_good = perform (run, &tasks[i], error);
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
  const Task *tasks = &flight->tasks[first];
  int slot = (int) (run->slot - run->session->slots);
  g_auto (TpEngineHold) hold
      = tp_engines_take (flight->engines, tasks[0].engine, slot);

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
  int slot = (int) (run->slot - run->session->slots);
  gint64 start_ns = tp_clock_get_ns ();
  int n;

  tp_engines_begin (flight->engines, slot);
  for (int i = 0; i < flight->n_tasks; i += n)
    {
      n = count_on_engine (flight, i);
      if (!perform_on_engine (run, i, n, error))
        return FALSE;
    }
  run->slot->time_ns = tp_clock_get_ns () - start_ns;
  return TRUE;
}
