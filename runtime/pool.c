/* pool.c: fork and join in well under a microsecond.
 *
 * Each worker has a mailbox on a cache line of its own: IDLE, POSTED, RUNNING.
 * It spins on it for some tens of microseconds, longer than the gap between two
 * kernels, then sleeps in a futex. Work is cut into one range per thread; ranges
 * are emptied by atomic adds, first the own one, then those of others. At the
 * end the caller takes back the mailboxes nobody has looked into. */
#include "config.h"

#include "runtime/pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ir/clock.h"
#include "ir/types.h"
#include "runtime/forked.h"

#define CACHE_LINE 64
#define SPIN_NS 50000
#define PIECES_PER_THREAD 16
#define BRIEF_NS 200000       /* nobody waits longer for what is to be brief */

enum
{
  IDLE,
  POSTED,
  RUNNING,
};

typedef struct
{
  _Alignas (CACHE_LINE) atomic_int state; /* the futex word */
  atomic_int is_asleep;
  int thread;
  pthread_t id;
} Worker;

typedef struct
{
  _Alignas (CACHE_LINE) atomic_llong next;
  long long end;
} Range;

typedef struct
{
  pthread_mutex_t lock;       /* held while a run is under way */
  atomic_int is_brief;        /* the run that has the lock, or had it last */
  TpHome home;                /* of the workers */
  int n_workers;
  int n_processors;
  atomic_int spin_ns;
  atomic_int is_resting;      /* workers are to sleep while there is nothing to do */
  Worker *workers[TP_POOL_MAX_THREADS];
  /* the run */
  TpPoolFunc func;
  gpointer data;
  gint64 piece;
  int n_threads;
  atomic_int caller_is_asleep;
  _Alignas (CACHE_LINE) atomic_int n_done; /* futex word of the caller */
  Range ranges[TP_POOL_MAX_THREADS];
} Pool;

typedef struct
{
  int n_threads;
  gint64 n_items;
  TpPoolFunc func;
  gpointer data;
} Job;

static Pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

void
tp_pool_pause (void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause ();
#elif defined(__aarch64__)
  __asm__ volatile ("yield");
#endif
}

static void
futex_wait (atomic_int *word, int value)
{
  syscall (SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void
futex_wake (atomic_int *word)
{
  syscall (SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* Spins while *word is @value, at most the spin time; a worker not while it is to rest. */
static gboolean
spin_while (atomic_int *word, int value, gboolean is_worker)
{
  gint64 limit_ns = atomic_load_explicit (&pool.spin_ns, memory_order_relaxed);
  gint64 end_ns = 0;

  for (unsigned i = 1;; i++)
    {
      if (atomic_load_explicit (word, memory_order_acquire) != value)
        return TRUE;
      if (is_worker
          && atomic_load_explicit (&pool.is_resting, memory_order_relaxed))
        return FALSE;
      tp_pool_pause ();
      if (i % 64 != 0)
        continue;
      if (end_ns == 0)
        end_ns = tp_clock_get_ns () + limit_ns;
      else if (tp_clock_get_ns () >= end_ns)
        return FALSE;
    }
}

/* Empties the ranges, beginning with that of @thread. */
static void
take_work (int thread)
{
  int n = pool.n_threads;

  for (int i = 0; i < n; i++)
    {
      Range *range = &pool.ranges[(thread + i) % n];

      while (atomic_load_explicit (&range->next, memory_order_relaxed)
             < range->end)
        {
          gint64 first = atomic_fetch_add_explicit (&range->next, pool.piece,
                                                    memory_order_relaxed);

          if (first >= range->end)
            break;
          pool.func (pool.data, first, MIN (first + pool.piece, range->end),
                     thread);
        }
    }
}

static void *
worker_main (void *argument)
{
  Worker *worker = argument;

  for (;;)
    {
      int expected = POSTED;

      if (!spin_while (&worker->state, IDLE, TRUE))
        {
          atomic_store (&worker->is_asleep, 1);
          while (atomic_load (&worker->state) == IDLE)
            futex_wait (&worker->state, IDLE);
          atomic_store (&worker->is_asleep, 0);
        }
      if (!atomic_compare_exchange_strong (&worker->state, &expected, RUNNING))
        continue;
      take_work (worker->thread);
      /* Idle first: once all are counted the next run may post. */
      atomic_store (&worker->state, IDLE);
      atomic_fetch_add (&pool.n_done, 1);
      if (atomic_load (&pool.caller_is_asleep))
        futex_wake (&pool.n_done);
    }
  return NULL;
}

static void
post_work (Worker *worker)
{
  atomic_store (&worker->state, POSTED);
  if (atomic_load (&worker->is_asleep))
    futex_wake (&worker->state);
}

/* Takes back what no worker has begun; returns how many have. */
static int
cancel_work (int n_workers)
{
  int n_begun = 0;

  for (int i = 0; i < n_workers; i++)
    {
      int expected = POSTED;

      if (!atomic_compare_exchange_strong (&pool.workers[i]->state, &expected,
                                           IDLE))
        n_begun++;
    }
  return n_begun;
}

static void
wait_until_done (int n_begun)
{
  for (;;)
    {
      int n_done = atomic_load (&pool.n_done);

      if (n_done == n_begun)
        return;
      if (spin_while (&pool.n_done, n_done, FALSE))
        continue;
      atomic_store (&pool.caller_is_asleep, 1);
      futex_wait (&pool.n_done, n_done);
      atomic_store (&pool.caller_is_asleep, 0);
    }
}

static void
share_out (int n_threads, gint64 n_items)
{
  gint64 first = 0;

  pool.n_threads = n_threads;
  pool.piece = MAX (n_items / ((gint64) n_threads * PIECES_PER_THREAD), 1);
  for (int i = 0; i < n_threads; i++)
    {
      gint64 end = first + n_items / n_threads + (i < n_items % n_threads);

      atomic_store_explicit (&pool.ranges[i].next, first,
                             memory_order_relaxed);
      pool.ranges[i].end = end;
      first = end;
    }
}

/* Whether the caller has the lock now. */
static gboolean
take_lock (gboolean is_brief)
{
  gint64 end_ns = 0;

  while (pthread_mutex_trylock (&pool.lock) != 0)
    {
      if (!atomic_load (&pool.is_brief))
        return FALSE;
      if (end_ns == 0)
        end_ns = tp_clock_get_ns () + BRIEF_NS;
      else if (tp_clock_get_ns () >= end_ns)
        return FALSE;
      tp_pool_pause ();
    }
  atomic_store (&pool.is_brief, is_brief);
  return TRUE;
}

/* Written where it changes only: all workers read it. */
static void
set_resting (int is_resting)
{
  if (atomic_load_explicit (&pool.is_resting, memory_order_relaxed) != is_resting)
    atomic_store_explicit (&pool.is_resting, is_resting, memory_order_relaxed);
}

void
tp_pool_rest (void)
{
  set_resting (1);
}

/* The lock is held. */
static void
run (int n_threads, gint64 n_items)
{
  n_threads = MIN (n_threads, pool.n_workers + 1);
  set_resting (0);
  share_out (n_threads, n_items);
  atomic_store (&pool.n_done, 0);
  for (int i = 0; i < n_threads - 1; i++)
    post_work (pool.workers[i]);
  take_work (0);
  wait_until_done (cancel_work (n_threads - 1));
}

static void
run_or_do (Job job, gboolean is_brief)
{
  int n_threads = MIN (job.n_threads, job.n_items);

  if (n_threads <= 1 || !take_lock (is_brief))
    {
      if (job.n_items > 0)
        job.func (job.data, 0, job.n_items, 0);
      return;
    }
  pool.func = job.func;
  pool.data = job.data;
  run (n_threads, job.n_items);
  pthread_mutex_unlock (&pool.lock);
}

void
tp_pool_run (int n_threads, gint64 n_items, TpPoolFunc func, gpointer data)
{
  run_or_do ((Job){ n_threads, n_items, func, data }, FALSE);
}

void
tp_pool_run_briefly (int n_threads, gint64 n_items, TpPoolFunc func,
                     gpointer data)
{
  run_or_do ((Job){ n_threads, n_items, func, data }, TRUE);
}

/* ---- starting workers --------------------------------------------------- */

/* Processors of the mask, the first hardware thread of every core first. */
static int
list_processors (const cpu_set_t *mask, int *out_processors)
{
  cpu_set_t rest = *mask;
  int n = 0;

  for (int i = 0; i < CPU_SETSIZE; i++)
    {
      char path[96];
      int first = i;
      FILE *file;

      if (!CPU_ISSET (i, &rest))
        continue;
      g_snprintf (path, sizeof path,
                  "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                  i);
      file = fopen (path, "re");
      if (file != NULL && fscanf (file, "%d", &first) != 1)
        first = i;
      if (file != NULL)
        fclose (file);
      if (first != i && CPU_ISSET (first, mask))
        continue;
      out_processors[n++] = i;
      CPU_CLR (i, &rest);
    }
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET (i, &rest))
      out_processors[n++] = i;
  return n;
}

/* Worker i goes to processor i + 1: the caller, which is not ours to pin, finds
 * the first one free. */
static void
pin_workers (void)
{
  int processors[CPU_SETSIZE];
  cpu_set_t mask;

  CPU_ZERO (&mask);
  if (sched_getaffinity (0, sizeof mask, &mask) != 0)
    return;
  pool.n_processors = list_processors (&mask, processors);
  if (pool.n_workers + 1 != pool.n_processors)
    return;
  for (int i = 0; i < pool.n_workers; i++)
    {
      CPU_ZERO (&mask);
      CPU_SET (processors[i + 1], &mask);
      pthread_setaffinity_np (pool.workers[i]->id, sizeof mask, &mask);
    }
}

static gboolean
start_worker (GError **error)
{
  Worker *worker = aligned_alloc (CACHE_LINE, sizeof *worker);
  int code = ENOMEM;

  if (worker != NULL)
    {
      memset (worker, 0, sizeof *worker);
      worker->thread = pool.n_workers + 1;
      code = pthread_create (&worker->id, NULL, worker_main, worker);
    }
  if (code != 0)
    {
      free (worker);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "cannot start thread %d: %s; ask for fewer by --threads "
                   "or TPLAN_THREADS", pool.n_workers + 2, g_strerror (code));
      return FALSE;
    }
  pthread_setname_np (worker->id, "tplan");
  pool.workers[pool.n_workers++] = worker;
  return TRUE;
}

/* The lock is held. */
static gboolean
grow (int n_threads, GError **error)
{
  int n_before = pool.n_workers;

  while (pool.n_workers < n_threads - 1)
    if (!start_worker (error))
      return FALSE;
  if (pool.n_workers > n_before)
    pin_workers ();
  /* With more threads than processors a spinning one keeps a working one away. */
  atomic_store (&pool.spin_ns,
                pool.n_workers < pool.n_processors ? SPIN_NS : 0);
  return TRUE;
}

gboolean
tp_pool_prepare (int n_threads, GError **error)
{
  gboolean is_ready;

  if (tp_home_move (&pool.home))
    {
      pthread_mutex_init (&pool.lock, NULL); /* perhaps forked in a run */
      atomic_store (&pool.is_brief, 0);
      pool.n_workers = 0;
      tp_home_moved (&pool.home);
    }
  pthread_mutex_lock (&pool.lock);
  is_ready = grow (MIN (n_threads, TP_POOL_MAX_THREADS), error);
  pthread_mutex_unlock (&pool.lock);
  return is_ready;
}
