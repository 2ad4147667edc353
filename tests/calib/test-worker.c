/* test-worker.c: work in a child process, and the want of one. */
#include "config.h"

#include "../view/no-fork.h"
#include "calib/worker.h"
#include "include/tplan.h"

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/worker/no-child", test_no_child);
  return g_test_run ();
}
