/* run.c: a queue of runs and the threads that take them, as many as may be under
 * way at a time. They start with the runs, so who submits none has none; all
 * signals are blocked in them. */
#include "config.h"

#include "api/run.h"

#include "ir/guard.h"
#include "runtime/forked.h"

#include <pthread.h>
#include <signal.h>

typedef enum
{
  RUN_WAITS,
  RUN_GOES,
  RUN_ENDED,                  /* or never will go */
} RunState;

struct TplanRun
{
  TpRunQueue *queue;          /* a reference */
  TplanRun *next;             /* in it */
  RunState state;             /* this and all below by its lock */
  gboolean is_good;
  GError *error;              /* why not */
  const void **inputs;
  void **outputs;
};

struct TpRunQueue
{
  gint n_refs;                /* of the session and of each run; atomic */
  TpRunWork work;
  gpointer data;
  pthread_mutex_t lock;       /* over all below */
  pthread_cond_t changed;
  TplanRun *first;            /* that waits */
  TplanRun **end;
  int n_waiting;
  TplanRun **going;           /* [thread]: (nullable) */
  gboolean is_closed;
  TpHome home;
  int n_threads, most_threads;
  int n_named;                /* threads that have taken their place in going */
  int n_idle;                 /* threads that wait for a run */
  pthread_t *threads;
};

TpRunQueue *
tp_run_queue_new (int n_threads, TpRunWork work, gpointer data)
{
  TpRunQueue *queue = g_new0 (TpRunQueue, 1);

  queue->n_refs = 1;
  queue->home = tp_home_here ();
  queue->work = work;
  queue->data = data;
  queue->end = &queue->first;
  queue->most_threads = n_threads;
  queue->threads = g_new0 (pthread_t, n_threads);
  queue->going = g_new0 (TplanRun *, n_threads);
  pthread_mutex_init (&queue->lock, NULL);
  pthread_cond_init (&queue->changed, NULL);
  return queue;
}

static void
queue_unref (TpRunQueue *queue)
{
  if (!g_atomic_int_dec_and_test (&queue->n_refs))
    return;
  pthread_mutex_destroy (&queue->lock);
  pthread_cond_destroy (&queue->changed);
  g_free (queue->threads);
  g_free (queue->going);
  g_free (queue);
}

/* ---- states ---------------------------------------------------------------- */

/* The lock is held, here and below. */
static void
end_run (TplanRun *run, gboolean is_good)
{
  run->is_good = is_good;
  run->state = RUN_ENDED;
  pthread_cond_broadcast (&run->queue->changed);
}

static TplanRun *
take_first (TpRunQueue *queue)
{
  TplanRun *run = queue->first;

  queue->first = run->next;
  if (queue->first == NULL)
    queue->end = &queue->first;
  queue->n_waiting--;
  return run;
}

static void
fail_run (TplanRun *run, const char *why)
{
  g_set_error (&run->error, TPLAN_ERROR, TPLAN_ERROR_INTERRUPTED, "%s", why);
  end_run (run, FALSE);
}

static void
fail_waiting (TpRunQueue *queue, const char *why)
{
  while (queue->first != NULL)
    fail_run (take_first (queue), why);
}

/* A child of the process that has the thread: nothing goes on here, and the lock
 * is as the fork found it. */
static void
start_anew (TpRunQueue *queue)
{
  static const char why[] = "the run stayed in the process that this one was "
                            "forked from: submit it again";

  pthread_mutex_init (&queue->lock, NULL);
  pthread_cond_init (&queue->changed, NULL);
  fail_waiting (queue, why);
  for (int i = 0; i < queue->n_threads; i++)
    if (queue->going[i] != NULL)
      fail_run (g_steal_pointer (&queue->going[i]), why);
  queue->n_threads = queue->n_named = queue->n_idle = 0;
}

static void
lock (TpRunQueue *queue)
{
  if (tp_home_move (&queue->home))
    {
      start_anew (queue);
      tp_home_moved (&queue->home);
    }
  pthread_mutex_lock (&queue->lock);
}

/* ---- the thread ------------------------------------------------------------ */

/* The lock is held, but while the run goes. */
static void
do_run (TpRunQueue *queue, TplanRun **going)
{
  TplanRun *run = *going = take_first (queue);
  gboolean is_good;

  run->state = RUN_GOES;
  pthread_mutex_unlock (&queue->lock);
  is_good = queue->work (queue->data, run->inputs, run->outputs, &run->error);
  pthread_mutex_lock (&queue->lock);
  *going = NULL;
  end_run (run, is_good);
}

static void *
thread_main (void *data)
{
  TpRunQueue *queue = data;
  TplanRun **going;

  pthread_mutex_lock (&queue->lock);
  going = &queue->going[queue->n_named++];
  while (!queue->is_closed)
    if (queue->first != NULL)
      do_run (queue, going);
    else
      {
        queue->n_idle++;
        pthread_cond_wait (&queue->changed, &queue->lock);
        queue->n_idle--;
      }
  pthread_mutex_unlock (&queue->lock);
  return NULL;
}

static gboolean
start_thread (TpRunQueue *queue, GError **error)
{
  sigset_t all, before;
  int code;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  code = pthread_create (&queue->threads[queue->n_threads], NULL, thread_main,
                         queue);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  if (code != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "no thread can be started for runs of a session: %s: end "
                   "some, or run without submitting", g_strerror (code));
      return FALSE;
    }
  pthread_setname_np (queue->threads[queue->n_threads++], "tplan-runs");
  return TRUE;
}

/* One more where the runs that wait are more than the threads that do. One is
 * enough to go on with. */
static gboolean
start_threads (TpRunQueue *queue, GError **error)
{
  if (queue->n_threads == 0)
    return start_thread (queue, error);
  if (queue->n_threads < queue->most_threads
      && queue->n_waiting >= queue->n_idle)
    start_thread (queue, NULL);
  return TRUE;
}

/* ---- runs come and go ------------------------------------------------------ */

void
tp_run_queue_close (TpRunQueue *queue)
{
  int n_threads;

  lock (queue);
  queue->is_closed = TRUE;
  fail_waiting (queue, "the run was not begun when its session was freed");
  n_threads = queue->n_threads;
  pthread_cond_broadcast (&queue->changed);
  pthread_mutex_unlock (&queue->lock);
  for (int i = 0; i < n_threads; i++)
    pthread_join (queue->threads[i], NULL);
  queue_unref (queue);
}

TplanRun *
tp_run_queue_add (TpRunQueue *queue, const TpRunArrays *arrays,
                  GError **error)
{
  g_autofree const void **inputs = tp_memdup (
      arrays->inputs, sizeof *arrays->inputs * arrays->n_inputs);
  g_autofree void **outputs = tp_memdup (
      arrays->outputs, sizeof *arrays->outputs * arrays->n_outputs);
  g_autofree TplanRun *run = tp_new0 (TplanRun, 1);
  gboolean is_good;

  lock (queue);
  is_good = start_threads (queue, error);
  if (is_good)
    {
      g_atomic_int_inc (&queue->n_refs);
      run->queue = queue;
      run->inputs = g_steal_pointer (&inputs);
      run->outputs = g_steal_pointer (&outputs);
      *queue->end = run;
      queue->end = &run->next;
      queue->n_waiting++;
      pthread_cond_broadcast (&queue->changed);
    }
  pthread_mutex_unlock (&queue->lock);
  return is_good ? g_steal_pointer (&run) : NULL;
}

/* ---- the calls ------------------------------------------------------------- */

/* The lock is held. */
static void
leave_queue (TplanRun *run)
{
  TpRunQueue *queue = run->queue;
  TplanRun **at = &queue->first;

  while (*at != run)
    at = &(*at)->next;
  *at = run->next;
  if (run->next == NULL)
    queue->end = at;
  queue->n_waiting--;
}

gboolean
tplan_run_wait (TplanRun *run, GError **error)
{
  gboolean is_good;

  g_return_val_if_fail (run != NULL, FALSE);
  lock (run->queue);
  while (run->state != RUN_ENDED)
    pthread_cond_wait (&run->queue->changed, &run->queue->lock);
  is_good = run->is_good;
  if (!is_good && error != NULL)
    *error = g_error_copy (run->error);
  pthread_mutex_unlock (&run->queue->lock);
  return is_good;
}

gboolean
tplan_run_is_done (TplanRun *run)
{
  gboolean is_done;

  g_return_val_if_fail (run != NULL, TRUE);
  lock (run->queue);
  is_done = run->state == RUN_ENDED;
  pthread_mutex_unlock (&run->queue->lock);
  return is_done;
}

gboolean
tplan_run_cancel (TplanRun *run)
{
  gboolean is_waiting;

  g_return_val_if_fail (run != NULL, FALSE);
  lock (run->queue);
  is_waiting = run->state == RUN_WAITS;
  if (is_waiting)
    {
      leave_queue (run);
      fail_run (run, "the run was cancelled before it was begun");
    }
  pthread_mutex_unlock (&run->queue->lock);
  return is_waiting;
}

void
tplan_run_free (TplanRun *run)
{
  if (run == NULL)
    return;
  tplan_run_cancel (run);
  tplan_run_wait (run, NULL);
  queue_unref (run->queue);
  g_clear_error (&run->error);
  g_free (run->inputs);
  g_free (run->outputs);
  g_free (run);
}
