/* test-worker.c: work in a child process, and the want of one. */
#include "config.h"

#include "../view/no-fork.h"
#include "calib/worker.h"
#include "include/tplan.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
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
  pid_t watcher = *(const pid_t *) data;

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
  pid_t watcher = getpid ();
  const TpWorker worker = { .work = stop_watcher,
                            .data = &watcher,
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

/* ---- drivers that do more than they are asked --------------------------- */

/* To every file there is, as one who has mistaken its own. */
static void
write_everywhere (TpChannel *channel, gpointer data)
{
  tp_channel_beat (channel, TP_PHASE_RUN, 3, 7);
  for (int fd = STDERR_FILENO + 1; fd < 100; fd++)
    if (write (fd, "not yours, not yours, not yours", 31) < 0)
      continue;
  g_usleep (60 * G_USEC_PER_SEC);
}

/* What it was at is told, and nothing else is lost. */
static void
test_written (void)
{
  const TpWorker worker = { .work = write_everywhere,
                            .hang_us = G_USEC_PER_SEC * 60 };
  g_autoptr (GError) error = NULL;
  g_autofree char *said = NULL, *text = NULL;
  g_autofree char *path = NULL;
  int mine = g_file_open_tmp ("tplan-XXXXXX", &path, &error);
  TpWorkerEnd end;

  g_assert_cmpint (mine, >=, 0);
  g_assert_true (tp_worker_run (&worker, &end, &error));
  g_assert_no_error (error);
  g_assert_cmpint (end.outcome, ==, TP_OUTCOME_CRASHED);
  g_assert_cmpint (end.beat.device, ==, 3);
  g_assert_cmpint (end.beat.key, ==, 7);
  said = tp_worker_end_describe (&end, worker.hang_us);
  g_assert_cmpstr (said, ==, "wrote into files that are not its own");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "");
  close (mine);
  remove (path);
}

#define N_LEFT 4

typedef struct
{
  volatile gint pids[N_LEFT];
} Left;

/* Two children and theirs, two of them in a session of their own. */
static void
leave_children (TpChannel *channel, gpointer data)
{
  Left *left = data;

  for (int i = 0; i < N_LEFT; i += 2)
    if (fork () == 0)
      {
        if (i > 0)
          setsid ();
        left->pids[i] = getpid ();
        if (fork () == 0)
          left->pids[i + 1] = getpid ();
        while (TRUE)
          pause ();
      }
  for (int i = 0; i < N_LEFT; i++)
    while (left->pids[i] == 0)
      g_usleep (1000);
}

static void
leave_and_hang (TpChannel *channel, gpointer data)
{
  leave_children (channel, data);
  g_usleep (60 * G_USEC_PER_SEC);
}

static void
leave_and_crash (TpChannel *channel, gpointer data)
{
  leave_children (channel, data);
  raise (SIGKILL);
}

/* However it ends, all that it started is gone when that is known. */
static void
test_left (void)
{
  void (*const works[]) (TpChannel *, gpointer)
      = { leave_children, leave_and_hang, leave_and_crash };
  Left *left = mmap (NULL, sizeof *left, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  for (gsize k = 0; k < G_N_ELEMENTS (works); k++)
    {
      const TpWorker worker = { .work = works[k], .data = left,
                                .hang_us = G_USEC_PER_SEC * 2 };
      TpWorkerEnd end;

      memset (left, 0, sizeof *left);
      g_assert_true (tp_worker_run (&worker, &end, NULL));
      for (int i = 0; i < N_LEFT; i++)
        {
          g_assert_cmpint (left->pids[i], >, 0);
          g_assert_cmpint (kill (left->pids[i], 0), ==, -1);
        }
    }
  munmap (left, sizeof *left);
}

static void
be_ended (TpChannel *channel, gpointer data)
{
  raise (SIGINT);
  raise (SIGTERM);
  raise (SIGHUP);
}

/* What ends a whole group, as `timeout` and a closed terminal do, is its parent's
 * to obey; the kernel under way has not crashed. */
static void
test_ended (void)
{
  const TpWorker worker = { .work = be_ended, .hang_us = G_USEC_PER_SEC * 60 };
  g_autoptr (GError) error = NULL;
  TpWorkerEnd end;

  g_assert_true (tp_worker_run (&worker, &end, &error));
  g_assert_no_error (error);
  g_assert_cmpint (end.outcome, ==, TP_OUTCOME_DONE);
}

static void
spend_all (TpChannel *channel, gpointer data)
{
  raise (*(const int *) data);
}

/* Who is ended at a limit of the system did not crash, and can be given more. */
static void
test_limited (void)
{
  static const int numbers[] = { SIGXCPU, SIGKILL };
  const struct rlimit limit = { 86400, 86400 };

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }
  g_assert_cmpint (setrlimit (RLIMIT_CPU, &limit), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      const TpWorker worker = { .work = spend_all, .data = (gpointer) &numbers[i],
                                .hang_us = G_USEC_PER_SEC * 60 };
      g_autofree char *said = NULL;
      TpWorkerEnd end;

      g_assert_true (tp_worker_run (&worker, &end, NULL));
      said = tp_worker_end_describe (&end, worker.hang_us);
      g_test_message ("%s", said);
      g_assert_nonnull (strstr (said, "ulimit -t"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/worker/no-child", test_no_child);
  g_test_add_func ("/worker/stopped", test_stopped);
  g_test_add_func ("/worker/hung", test_hung);
  g_test_add_func ("/worker/written", test_written);
  g_test_add_func ("/worker/left", test_left);
  g_test_add_func ("/worker/ended", test_ended);
  g_test_add_func ("/worker/limited", test_limited);
  return g_test_run ();
}
