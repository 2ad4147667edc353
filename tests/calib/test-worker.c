/* test-worker.c: work in a child process, and the want of one. */
#include "config.h"

#include "../view/no-fork.h"
#include "calib/worker.h"
#include "include/tplan.h"

#include <signal.h>
#include <unistd.h>

#define HANG_S 6
#define STOP_S 7
#define ALIVE_S 0.2

static void
do_nothing (TpChannel *channel, gpointer data)
{
}

static void
test_no_child (void)
{
  const TpWorker worker = { .work = do_nothing, .hang_us = G_USEC_PER_SEC * 60 };
  int n_open = count_open_descriptors ();
  TpWorkerEnd end;
  g_autoptr (GError) error = NULL;

  refuse_forks (TRUE);
  g_assert_false (tp_worker_run (&worker, &end, &error));
  refuse_forks (FALSE);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
  g_assert_cmpint (count_open_descriptors (), ==, n_open);
  g_clear_error (&error);
  g_assert_true (tp_worker_run (&worker, &end, &error));
  g_assert_no_error (error);
  g_assert_cmpint (end.outcome, ==, TP_OUTCOME_DONE);
  g_assert_cmpint (count_open_descriptors (), ==, n_open);
}

/* Nobody watches meanwhile. */
static void
stop_watcher (TpChannel *channel, gpointer data)
{
  pid_t watcher = getppid ();

  kill (watcher, SIGSTOP);
  g_usleep (STOP_S * G_USEC_PER_SEC);
  kill (watcher, SIGCONT);
  g_usleep ((gulong) (ALIVE_S * G_USEC_PER_SEC));
}

/* Who was stopped with his child, or with the whole machine, has not seen the child
 * hang. */
static void
test_stopped (void)
{
  const TpWorker worker = { .work = stop_watcher,
                            .hang_us = G_USEC_PER_SEC * HANG_S };
  g_autoptr (GError) error = NULL;
  TpWorkerEnd end;

  g_assert_true (tp_worker_run (&worker, &end, &error));
  g_assert_no_error (error);
  g_assert_cmpint (end.outcome, ==, TP_OUTCOME_DONE);
}

static void
fall_silent (TpChannel *channel, gpointer data)
{
  g_usleep (60 * G_USEC_PER_SEC);
}

static void
test_hung (void)
{
  const TpWorker worker = { .work = fall_silent,
                            .hang_us = G_USEC_PER_SEC };
  g_autoptr (GError) error = NULL;
  TpWorkerEnd end;

  g_assert_true (tp_worker_run (&worker, &end, &error));
  g_assert_no_error (error);
  g_assert_cmpint (end.outcome, ==, TP_OUTCOME_HUNG);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/worker/no-child", test_no_child);
  g_test_add_func ("/worker/stopped", test_stopped);
  g_test_add_func ("/worker/hung", test_hung);
  return g_test_run ();
}
