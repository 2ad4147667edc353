/* session-overlap.c: see session-overlap.h.
 *
 * Each lane does its tasks in the order that session-order.c found, and before each
 * waits for those of other lanes that it needs. The caller has lane 0, every other
 * lane a thread that sleeps between runs. Kernels of a lane are queued and waited
 * for only where another lane waits for one, and at the end: what was queued uses
 * the memory of the run, however the run went. The first lane that fails stops
 * all.
 *
 * Simulated devices have one clock of their own each and none that they share: their
 * tasks are done one after the other, and when each would have begun is worked out
 * from how long it took. */
#include "config.h"

#include "runtime/session-overlap.h"

#include "ir/clock.h"
#include "ir/guard.h"
#include "runtime/session-order.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

typedef struct
{
  struct TpSessionOverlap *overlap;
  int n_tasks;
  const int *tasks;           /* in order */
  gint at;                    /* action; -1: it waits. Read by other threads */
  gboolean has_thread;
  pthread_t thread;
  pthread_cond_t may_go_on;
} Lane;

struct TpSessionOverlap
{
  TpSession *session;
  TpSessionOrder *order;
  int *lane_tasks;            /* of all lanes, one after the other */
  Lane *lanes;
  gint *n_left;               /* [task]: that it still waits for; atomic */
  gint64 *ready_ns;           /* [task], in simulated time */
  gint64 *lane_ns;            /* [lane], likewise: when it ends what it began */
  pid_t owner;                /* process the threads live in */
  /* of the run */
  const TpSessionRun *run;
  gboolean is_profiled;
  gint64 start_ns;
  gint has_failed;            /* atomic */
  pthread_mutex_t lock;       /* over all below */
  pthread_cond_t has_begun, has_ended;
  guint n_begun;              /* runs */
  int n_busy;                 /* lanes with threads */
  gboolean is_closed;
  GError *error;              /* the first */
};

gboolean
tp_session_wants_overlap (const TpSession *session)
{
  return session->plan->span_proof != NULL && session->n_slots == 1;
}

/* ---- lanes, from task to task ---------------------------------------------- */

/* Takes @error. */
static void
stop_all (struct TpSessionOverlap *overlap, GError *error)
{
  pthread_mutex_lock (&overlap->lock);
  if (overlap->error == NULL)
    overlap->error = g_steal_pointer (&error);
  g_atomic_int_set (&overlap->has_failed, TRUE);
  for (int i = 0; i < overlap->order->n_lanes; i++)
    pthread_cond_signal (&overlap->lanes[i].may_go_on);
  pthread_mutex_unlock (&overlap->lock);
  g_clear_error (&error);
}

/* FALSE: the run has failed. */
static gboolean
wait_for_others (Lane *lane, int task)
{
  struct TpSessionOverlap *overlap = lane->overlap;

  if (g_atomic_int_get (&overlap->n_left[task]) > 0)
    {
      pthread_mutex_lock (&overlap->lock);
      while (g_atomic_int_get (&overlap->n_left[task]) > 0
             && !g_atomic_int_get (&overlap->has_failed))
        pthread_cond_wait (&lane->may_go_on, &overlap->lock);
      pthread_mutex_unlock (&overlap->lock);
    }
  return !g_atomic_int_get (&overlap->has_failed);
}

static int
count_waiters (const TpSessionOrder *order, int task)
{
  return order->first_waiter[task + 1] - order->first_waiter[task];
}

static void
let_others_go_on (struct TpSessionOverlap *overlap, int task)
{
  const TpSessionOrder *order = overlap->order;

  for (int i = order->first_waiter[task]; i < order->first_waiter[task + 1]; i++)
    {
      int waiter = order->waiters[i];

      if (!g_atomic_int_dec_and_test (&overlap->n_left[waiter]))
        continue;
      pthread_mutex_lock (&overlap->lock);
      pthread_cond_signal (&overlap->lanes[order->lane_of[waiter]].may_go_on);
      pthread_mutex_unlock (&overlap->lock);
    }
}

/* Of a step, or of a half of one. */
static void
note_time (struct TpSessionOverlap *overlap, const TpSessionTask *task,
           gint64 begin_ns, gint64 time_ns)
{
  TpSession *session = overlap->session;
  int index = session->step_of[task->action];
  TpSessionStep *step;

  if (index < 0)
    return;
  step = &tp_array_index (session->steps, TpSessionStep, index);
  if (task->part == TP_TASK_SECOND_HALF)
    {
      step->feed_begin_ns = begin_ns;
      step->feed_ns = time_ns;
      step->measured_ns += time_ns;
      return;
    }
  step->begin_ns = begin_ns;
  step->measured_ns = time_ns;
}

static void
stand_at (Lane *lane, int action)
{
  if (lane->overlap->session->is_followed)
    g_atomic_int_set (&lane->at, action);
}

/* Until other lanes may use what @task made. */
static gboolean
perform (Lane *lane, int index, GError **error)
{
  struct TpSessionOverlap *overlap = lane->overlap;
  TpSession *session = overlap->session;
  const TpSessionTask *task = &overlap->order->tasks[index];
  TpDevice *device = tp_session_find_task_device (session, task);
  gint64 begin_ns = overlap->is_profiled ? tp_clock_get_ns () : 0;
  gboolean is_awaited = count_waiters (overlap->order, index) > 0
                        || overlap->is_profiled || session->is_followed;

  stand_at (lane, task->action);
  if (!tp_session_perform_task (overlap->run, task, error)
      || (device != NULL && is_awaited
          && !device->ops->launch (device, NULL, error)))
    return FALSE;
  stand_at (lane, -1);
  if (overlap->is_profiled)
    note_time (overlap, task, begin_ns - overlap->start_ns,
               tp_clock_get_ns () - begin_ns);
  if (session->is_followed)
    g_atomic_int_inc (&session->n_runs);
  let_others_go_on (overlap, index);
  return TRUE;
}

/* ---- a run of a lane ------------------------------------------------------- */

/* The last kernels of @lane may be queued still. */
static gboolean
end_lane (const Lane *lane, GError **error)
{
  const struct TpSessionOverlap *overlap = lane->overlap;

  for (int i = lane->n_tasks - 1; i >= 0; i--)
    {
      TpDevice *device = tp_session_find_task_device (
          overlap->session, &overlap->order->tasks[lane->tasks[i]]);

      if (device != NULL)
        return device->ops->launch (device, NULL, error);
    }
  return TRUE;
}

/* No variable owns anything: without memory it is left. */
static void
do_tasks (gpointer data)
{
  Lane *lane = data;
  GError *error = NULL;

  for (int i = 0; i < lane->n_tasks && wait_for_others (lane, lane->tasks[i]); i++)
    if (!perform (lane, lane->tasks[i], &error))
      {
        stop_all (lane->overlap, error);
        return;
      }
}

static void
run_lane (Lane *lane)
{
  GError *error = NULL;

  if (!tp_guard (do_tasks, lane, "to run this plan", &error))
    stop_all (lane->overlap, g_steal_pointer (&error));
  if (!end_lane (lane, &error))
    stop_all (lane->overlap, error);
  stand_at (lane, -1);
}

static gpointer
lane_main (gpointer data)
{
  Lane *lane = data;
  struct TpSessionOverlap *overlap = lane->overlap;
  guint n_done = 0;

  pthread_mutex_lock (&overlap->lock);
  for (;;)
    {
      while (overlap->n_begun == n_done && !overlap->is_closed)
        pthread_cond_wait (&overlap->has_begun, &overlap->lock);
      if (overlap->is_closed)
        break;
      n_done = overlap->n_begun;
      pthread_mutex_unlock (&overlap->lock);
      run_lane (lane);
      pthread_mutex_lock (&overlap->lock);
      if (--overlap->n_busy == 0)
        pthread_cond_signal (&overlap->has_ended);
    }
  pthread_mutex_unlock (&overlap->lock);
  return NULL;
}

/* ---- a run ----------------------------------------------------------------- */

static void
begin_run (struct TpSessionOverlap *overlap, const TpSessionRun *run,
           gboolean is_profiled)
{
  for (int i = 0; i < overlap->order->n_tasks; i++)
    g_atomic_int_set (&overlap->n_left[i], overlap->order->n_waits[i]);
  overlap->run = run;
  overlap->is_profiled = is_profiled;
  overlap->has_failed = FALSE;
  overlap->start_ns = tp_clock_get_ns ();
}

static gboolean
check_process (const struct TpSessionOverlap *overlap, GError **error)
{
  if (overlap->owner == getpid ())
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "this process was forked from %d, where the threads of the "
               "session stayed: make the session after forking, or exec",
               (int) overlap->owner);
  return FALSE;
}

static gboolean
run_lanes (struct TpSessionOverlap *overlap, const TpSessionRun *run,
           gboolean is_profiled, GError **error)
{
  if (!check_process (overlap, error))
    return FALSE;
  begin_run (overlap, run, is_profiled);
  pthread_mutex_lock (&overlap->lock);
  overlap->n_begun++;
  overlap->n_busy = overlap->order->n_lanes - 1;
  pthread_cond_broadcast (&overlap->has_begun);
  pthread_mutex_unlock (&overlap->lock);
  run_lane (&overlap->lanes[0]);
  pthread_mutex_lock (&overlap->lock);
  while (overlap->n_busy > 0)
    pthread_cond_wait (&overlap->has_ended, &overlap->lock);
  pthread_mutex_unlock (&overlap->lock);
  run->slot->time_ns = tp_clock_get_ns () - overlap->start_ns;
  if (overlap->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&overlap->error));
  return FALSE;
}

/* One task, waited for: virtual time where a simulated device has a part in it. */
static gboolean
take_virtual_time (struct TpSessionOverlap *overlap, const TpSessionTask *task,
                   gint64 *out_time_ns, GError **error)
{
  TpSession *session = overlap->session;
  gint64 virtual_ns = tp_session_get_virtual_ns (session);
  gint64 start_ns = tp_clock_get_ns ();

  if (!tp_session_perform_task (overlap->run, task, error)
      || !tp_session_wait (session, error))
    return FALSE;
  *out_time_ns = tp_session_is_virtual (session, task->action)
                     ? tp_session_get_virtual_ns (session) - virtual_ns
                     : tp_clock_get_ns () - start_ns;
  return TRUE;
}

static gboolean
simulate (struct TpSessionOverlap *overlap, int index, GError **error)
{
  const TpSessionOrder *order = overlap->order;
  gint64 *lane_ns = &overlap->lane_ns[order->lane_of[index]];
  gint64 begin_ns = MAX (*lane_ns, overlap->ready_ns[index]), time_ns;

  stand_at (&overlap->lanes[0], order->tasks[index].action);
  if (!take_virtual_time (overlap, &order->tasks[index], &time_ns, error))
    return FALSE;
  if (overlap->session->is_followed)
    g_atomic_int_inc (&overlap->session->n_runs);
  note_time (overlap, &order->tasks[index], begin_ns, time_ns);
  *lane_ns = begin_ns + time_ns;
  for (int i = order->first_waiter[index]; i < order->first_waiter[index + 1];
       i++)
    overlap->ready_ns[order->waiters[i]]
        = MAX (overlap->ready_ns[order->waiters[i]], *lane_ns);
  return TRUE;
}

static gboolean
simulate_lanes (struct TpSessionOverlap *overlap, const TpSessionRun *run,
                GError **error)
{
  const TpSessionOrder *order = overlap->order;
  gboolean is_good = TRUE;

  begin_run (overlap, run, TRUE);
  run->slot->time_ns = 0;
  for (int i = 0; i < order->n_tasks; i++)
    overlap->ready_ns[i] = 0;
  for (int i = 0; i < order->n_lanes; i++)
    overlap->lane_ns[i] = 0;
  for (int i = 0; i < order->n_tasks && is_good; i++)
    is_good = simulate (overlap, order->order[i], error);
  for (int i = 0; i < order->n_lanes; i++)
    run->slot->time_ns = MAX (run->slot->time_ns, overlap->lane_ns[i]);
  stand_at (&overlap->lanes[0], -1);
  return is_good;
}

gboolean
tp_session_overlap_run (const TpSessionRun *run, gboolean is_profiled,
                        GError **error)
{
  struct TpSessionOverlap *overlap = run->session->overlap;

  return run->session->is_simulated
             ? simulate_lanes (overlap, run, error)
             : run_lanes (overlap, run, is_profiled, error);
}

int
tp_session_overlap_get_at (const TpSession *session)
{
  const struct TpSessionOverlap *overlap = session->overlap;

  for (int i = 0; i < overlap->order->n_lanes; i++)
    {
      int at = g_atomic_int_get (&overlap->lanes[i].at);

      if (at >= 0)
        return at;
    }
  return -1;
}

/* ---- making and freeing ---------------------------------------------------- */

static void
share_out (struct TpSessionOverlap *overlap)
{
  const TpSessionOrder *order = overlap->order;
  int n = 0;

  for (int lane = 0; lane < order->n_lanes; lane++)
    {
      Lane *it = &overlap->lanes[lane];

      it->overlap = overlap;
      it->tasks = &overlap->lane_tasks[n];
      it->at = -1;
      pthread_cond_init (&it->may_go_on, NULL);
      for (int i = 0; i < order->n_tasks; i++)
        if (order->lane_of[order->order[i]] == lane)
          overlap->lane_tasks[n++] = order->order[i];
      it->n_tasks = (int) (&overlap->lane_tasks[n] - it->tasks);
    }
}

static void
tell_plan (const TpSession *session, const TpSessionOrder *order)
{
  for (int i = 0; i < order->n_tasks; i++)
    {
      int index = session->step_of[order->tasks[i].action];
      TpSessionStep *step;

      if (index < 0)
        continue;
      step = &tp_array_index (session->steps, TpSessionStep, index);
      if (order->tasks[i].part == TP_TASK_SECOND_HALF)
        step->planned_feed_ns = order->planned_ns[i];
      else
        step->planned_ns = order->planned_ns[i];
    }
}

static gboolean
start_lane (Lane *lane, GError **error)
{
  sigset_t all, before;
  int code;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  code = pthread_create (&lane->thread, NULL, lane_main, lane);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  lane->has_thread = code == 0;
  if (code != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "no thread can be started for a session whose devices work "
                   "at once: %s: end some, or plan without --objective makespan",
                   g_strerror (code));
      return FALSE;
    }
  pthread_setname_np (lane->thread, "tplan-lane");
  return TRUE;
}

static gboolean
start_lanes (struct TpSessionOverlap *overlap, GError **error)
{
  for (int i = 1; i < overlap->order->n_lanes; i++)
    if (!start_lane (&overlap->lanes[i], error))
      return FALSE;
  return TRUE;
}

gboolean
tp_session_overlap_init (TpSession *session, GError **error)
{
  g_autoptr (TpSessionOrder) order = tp_session_order_new (session);
  struct TpSessionOverlap *overlap;
  gsize n_tasks = (gsize) order->n_tasks + 1;

  if (order->n_lanes == 1)
    return TRUE;
  session->overlap = overlap = g_new0 (struct TpSessionOverlap, 1);
  overlap->session = session;
  overlap->owner = getpid ();
  pthread_mutex_init (&overlap->lock, NULL);
  pthread_cond_init (&overlap->has_begun, NULL);
  pthread_cond_init (&overlap->has_ended, NULL);
  overlap->n_left = tp_new0 (gint, n_tasks);
  overlap->ready_ns = tp_new0 (gint64, n_tasks);
  overlap->lane_tasks = tp_new0 (int, n_tasks);
  overlap->lane_ns = tp_new0 (gint64, order->n_lanes);
  overlap->lanes = tp_new0 (Lane, order->n_lanes);
  overlap->order = g_steal_pointer (&order);
  share_out (overlap);
  tell_plan (session, overlap->order);
  return session->is_simulated || start_lanes (overlap, error);
}

/* Not in a process that was forked: it has no such threads. */
static void
end_lanes (struct TpSessionOverlap *overlap)
{
  pthread_mutex_lock (&overlap->lock);
  overlap->is_closed = TRUE;
  pthread_cond_broadcast (&overlap->has_begun);
  pthread_mutex_unlock (&overlap->lock);
  for (int i = 0; overlap->order != NULL && i < overlap->order->n_lanes; i++)
    {
      if (overlap->lanes[i].has_thread)
        pthread_join (overlap->lanes[i].thread, NULL);
      pthread_cond_destroy (&overlap->lanes[i].may_go_on);
    }
  pthread_cond_destroy (&overlap->has_begun);
  pthread_cond_destroy (&overlap->has_ended);
  pthread_mutex_destroy (&overlap->lock);
}

void
tp_session_overlap_clear (TpSession *session)
{
  struct TpSessionOverlap *overlap = session->overlap;

  if (overlap == NULL)
    return;
  if (overlap->owner == getpid ())
    end_lanes (overlap);
  g_free (overlap->n_left);
  g_free (overlap->ready_ns);
  g_free (overlap->lane_ns);
  g_free (overlap->lane_tasks);
  g_free (overlap->lanes);
  tp_session_order_free (overlap->order);
  g_clear_pointer (&session->overlap, g_free);
}
