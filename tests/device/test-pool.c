/* test-pool.c: every item once, whoever runs, sleeps, forks or competes. */
#include "config.h"

#include "runtime/device.h"
#include "runtime/pool.h"
#include "runtime/threads.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ITEMS 4000
#define MAX_THREADS 8

typedef struct
{
  atomic_int n_seen[MAX_ITEMS];
  atomic_int n_inside[MAX_THREADS];
  atomic_int n_faults;
  int n_threads;
} Job;

static void
count_items (gpointer data, gint64 first, gint64 end, int thread)
{
  Job *job = data;

  if (thread < 0 || thread >= job->n_threads
      || atomic_fetch_add (&job->n_inside[thread], 1) != 0)
    atomic_fetch_add (&job->n_faults, 1);
  for (gint64 i = first; i < end; i++)
    atomic_fetch_add (&job->n_seen[i], 1);
  if (thread >= 0 && thread < job->n_threads)
    atomic_fetch_sub (&job->n_inside[thread], 1);
}

typedef void (*Run) (int n_threads, gint64 n_items, TpPoolFunc func,
                     gpointer data);

static gboolean
run_once_by (Run run, int n_threads, int n_items)
{
  g_autofree Job *job = g_new0 (Job, 1);

  job->n_threads = n_threads;
  run (n_threads, n_items, count_items, job);
  for (int i = 0; i < MAX_ITEMS; i++)
    if (job->n_seen[i] != (i < n_items))
      return FALSE;
  return job->n_faults == 0;
}

static gboolean
run_once (int n_threads, int n_items)
{
  return run_once_by (tp_pool_run, n_threads, n_items);
}

static void
prepare (int n_threads)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tp_pool_prepare (n_threads, &error));
  g_assert_no_error (error);
}

static void
test_each_once (void)
{
  prepare (4);
  for (int n_threads = 1; n_threads <= 6; n_threads++)
    for (int n_items = 0; n_items < 70; n_items++)
      g_assert_true (run_once (n_threads, n_items));
  for (int i = 0; i < 200; i++)
    g_assert_true (run_once (g_test_rand_int_range (1, 7),
                             g_test_rand_int_range (0, MAX_ITEMS + 1)));
}

/* Longer pauses than the spin time: workers are asleep when work comes. */
static void
test_after_sleep (void)
{
  prepare (3);
  for (int i = 0; i < 20; i++)
    {
      g_usleep (2000);
      g_assert_true (run_once (3, 300));
    }
}

static void
work_unevenly (gpointer data, gint64 first, gint64 end, int thread)
{
  if (first == 0)
    g_usleep (3000);
  count_items (data, first, end, thread);
}

static void
test_uneven (void)
{
  g_autofree Job *job = g_new0 (Job, 1);

  prepare (2);
  job->n_threads = 2;
  tp_pool_run (2, 200, work_unevenly, job);
  for (int i = 0; i < 200; i++)
    g_assert_cmpint (job->n_seen[i], ==, 1);
}

static gpointer
send_to_rest (gpointer data)
{
  atomic_int *is_over = data;

  while (!atomic_load (is_over))
    tp_pool_rest ();
  return NULL;
}

/* Whoever sleeps is woken, also where somebody sends all to rest all the time. */
static void
test_rest (void)
{
  atomic_int is_over = 0;
  GThread *other;

  prepare (3);
  for (int i = 0; i < 300; i++)
    {
      tp_pool_rest ();
      g_assert_true (run_once (3, 300));
    }
  other = g_thread_new ("other", send_to_rest, &is_over);
  for (int i = 0; i < 300; i++)
    g_assert_true (run_once (3, 300));
  atomic_store (&is_over, 1);
  g_thread_join (other);
}

static gpointer
compete (gpointer data)
{
  int n_good = 0;

  for (int i = 0; i < 300; i++)
    n_good += run_once_by (i % 2 ? tp_pool_run : tp_pool_run_briefly,
                           GPOINTER_TO_INT (data), 97);
  return GINT_TO_POINTER (n_good);
}

static void
test_competing (void)
{
  GThread *threads[3];

  prepare (4);
  for (int i = 0; i < 3; i++)
    threads[i] = g_thread_new ("rival", compete, GINT_TO_POINTER (i + 2));
  for (int i = 0; i < 3; i++)
    g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (threads[i])), ==, 300);
}

static void
test_after_fork (void)
{
  int status;
  pid_t child;

  prepare (2);
  g_assert_true (run_once (2, 50));
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    {
      gboolean good = run_once (2, 50); /* no worker came along */

      good = good && tp_pool_prepare (2, NULL) && run_once (2, 50);
      _exit (good ? 0 : 1);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

/* The child finds the pool busy with what was to be brief, and nobody who ends it. */
static void
fork_within (gpointer data, gint64 first, gint64 end, int thread)
{
  (void) end;
  (void) thread;
  if (first != 0)
    return;
  *(pid_t *) data = fork ();
  if (*(pid_t *) data == 0)
    _exit (run_once (2, 50) && tp_pool_prepare (2, NULL) && run_once (2, 50)
               ? 0
               : 1);
}

static void
test_fork_within (void)
{
  pid_t child = -1;
  int status;

  prepare (2);
  tp_pool_run_briefly (2, 2, fork_within, &child);
  g_assert_cmpint (child, >, 0);
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
test_threads_count (void)
{
  g_assert_cmpint (tp_threads_count (3), ==, 3);
  g_setenv ("TPLAN_THREADS", "5", TRUE);
  g_setenv ("OMP_NUM_THREADS", "7,2", TRUE);
  g_assert_cmpint (tp_threads_count (3), ==, 3);
  g_assert_cmpint (tp_threads_count (0), ==, 5);
  g_unsetenv ("TPLAN_THREADS");
  g_assert_cmpint (tp_threads_count (0), ==, 7);
  g_setenv ("OMP_NUM_THREADS", "many", TRUE);
  g_assert_cmpint (tp_threads_count (0), >=, 1);
  g_assert_cmpint (tp_threads_count (0), <=, (int) g_get_num_processors ());
  g_unsetenv ("OMP_NUM_THREADS");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool/each-once", test_each_once);
  g_test_add_func ("/pool/after-sleep", test_after_sleep);
  g_test_add_func ("/pool/uneven", test_uneven);
  g_test_add_func ("/pool/rest", test_rest);
  g_test_add_func ("/pool/competing", test_competing);
  g_test_add_func ("/pool/after-fork", test_after_fork);
  g_test_add_func ("/pool/fork-within", test_fork_within);
  g_test_add_func ("/pool/threads-count", test_threads_count);
  return g_test_run ();
}
