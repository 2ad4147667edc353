/* test-probe.c: what probes say where there is nobody to ask. How long anything takes
 * is the machine's affair. */
#include "config.h"

#include "calib/near.h"
#include "calib/probe.h"
#include "runtime/threads.h"

#define TRIES 20              /* a look may be interrupted */

static gint64
look (int n_threads)
{
  gint64 contention = 0;

  for (int i = 0; i < TRIES && contention == 0; i++)
    contention = tp_probe_contention (n_threads);
  return contention;
}

/* One thread has no other to be far from, but a core that others may use. */
static void
test_one_thread (void)
{
  TpProcessors its;

  tp_probe_processors (1, &its);
  g_assert_cmpint (its.handover_ns, ==, 0);
  g_assert_cmpint (its.crowding, ==, 0);
  g_assert_cmpint (look (1), >, 0);
  g_assert_cmpint (look (0), >, 0);
  g_assert_true (tp_probe_is_pool_whole (1));
}

/* Whatever the devices are: those that have no use for the pool, too. */
static void
test_near_has_company (void)
{
  TpProcessors its = { 0 }, none = { 0 };
  TpNear near;

  if (tp_threads_count_processors () < 2)
    {
      g_test_skip ("one processor");
      return;
    }
  tp_near_init (&near, 2, &none, TRUE);
  for (int i = 0; i < 10 * TRIES && its.handover_ns == 0; i++)
    tp_probe_processors (2, &its);
  g_assert_cmpint (its.handover_ns, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/probe/one-thread", test_one_thread);
  g_test_add_func ("/probe/near-has-company", test_near_has_company);
  return g_test_run ();
}
