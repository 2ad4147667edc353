/* test-workload.c: what others worked, and whether they were there at all. */
#include "config.h"

#include "calib/workload.h"

#define SECOND_US G_USEC_PER_SEC

static const TpWorkload start = { 0 };

static void
test_others (void)
{
  const TpWorkload mostly_own = { .wall_us = SECOND_US, .busy_us = 900000,
                                   .own_us = 850000 };
  const TpWorkload late_ticks = { .wall_us = SECOND_US, .busy_us = 900000,
                                  .own_us = 905000 };
  const TpWorkload untold = { .wall_us = SECOND_US, .busy_us = -1,
                              .own_us = 850000 };

  g_assert_cmpint (tp_workload_get_others_us (&start, &mostly_own), ==, 50000);
  g_assert_cmpint (tp_workload_get_others_us (&start, &late_ticks), ==, 0);
  g_assert_cmpint (tp_workload_get_others_us (&start, &untold), ==, -1);
  g_assert_cmpint (tp_workload_get_others_us (&untold, &mostly_own), ==, -1);
}

static gboolean
is_alone (gint64 wall_us, gint64 others_us, gint64 stolen_us)
{
  const TpWorkload end
      = { .wall_us = wall_us, .busy_us = wall_us + others_us,
          .stolen_us = stolen_us, .own_us = wall_us };

  return tp_workload_was_alone (&start, &end);
}

static void
test_alone (void)
{
  const TpWorkload untold = { .wall_us = SECOND_US, .busy_us = -1 };

  g_assert_true (is_alone (SECOND_US, 0, 0));
  g_assert_true (is_alone (SECOND_US, 10000, 10000)); /* a tick */
  g_assert_false (is_alone (SECOND_US, 100000, 0));
  g_assert_false (is_alone (SECOND_US, 0, 100000));
  g_assert_true (is_alone (10 * SECOND_US, 100000, 0));
  g_assert_false (is_alone (20000, 0, 0)); /* too short to tell */
  g_assert_false (tp_workload_was_alone (&start, &untold));
}

/* Spinning is work, and the clock goes on. */
static void
test_read (void)
{
  TpWorkload begin, end;

  tp_workload_read (&begin);
  for (gint64 until_us = g_get_monotonic_time () + 100000;
       g_get_monotonic_time () < until_us;)
    ;
  tp_workload_read (&end);
  g_assert_cmpint (end.wall_us - begin.wall_us, >=, 100000);
  g_assert_cmpint (end.own_us, >, begin.own_us);
  g_assert_cmpint (end.busy_us, >=, begin.busy_us);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/workload/others", test_others);
  g_test_add_func ("/workload/alone", test_alone);
  g_test_add_func ("/workload/read", test_read);
  return g_test_run ();
}
