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

static int
count_threads (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  int n = 0;

  while (g_dir_read_name (tasks) != NULL)
    n++;
  return n;
}

/* Whatever the devices are: those that have no use for the pool, too. How near its
 * thread is can only be told where that gets to run. */
static void
test_near_has_company (void)
{
  TpProcessors none = { 0 };
  TpNear near;

  if (tp_threads_count_processors () < 2)
    {
      g_test_skip ("one processor");
      return;
    }
  g_assert_cmpint (count_threads (), ==, 1);
  tp_near_init (&near, 2, &none, TRUE);
  g_assert_cmpint (count_threads (), ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/probe/one-thread", test_one_thread);
  g_test_add_func ("/probe/near-has-company", test_near_has_company);
  return g_test_run ();
}
