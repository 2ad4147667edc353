/* bench-pool.c: what a fork and a join cost: one item per thread, less the time
 * of an item alone. */
#include "config.h"

#include "runtime/pool.h"
#include "runtime/threads.h"

#include <stdio.h>
#include <stdlib.h>

#define RUNS 2000
#define ROUNDS 50

/* About 2 us, the same for every item: long enough that a worker which is awake
 * always comes in time for its own. */
static void
work (gpointer data, gint64 first, gint64 end, int thread)
{
  (void) data, (void) thread;
  for (gint64 item = first; item < end; item++)
    for (volatile int i = 0; i < 8000; i++)
      ;
}

static double
measure_ns (int n_threads, int n_items)
{
  double least = G_MAXDOUBLE;

  for (int round = 0; round < ROUNDS; round++)
    {
      gint64 start = g_get_monotonic_time ();

      for (int i = 0; i < RUNS; i++)
        tp_pool_run (n_threads, n_items, work, NULL);
      least = MIN (least, (g_get_monotonic_time () - start) * 1e3 / RUNS);
    }
  return least;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int n = tp_threads_count (argc > 1 ? atoi (argv[1]) : 0);

  if (!tp_pool_prepare (n, &error))
    {
      fprintf (stderr, "bench-pool: %s\n", error->message);
      return 1;
    }
  for (int i = 2; i <= n; i++)
    {
      double alone_ns = measure_ns (1, 1), shared_ns = measure_ns (i, i);

      printf ("fork-join %d threads %.0f ns (item alone %.0f ns)\n", i,
              shared_ns - alone_ns, alone_ns);
    }
  return 0;
}
