/* bench-pool.c: how long an empty fork and join takes. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/device.h"
#include "runtime/pool.h"

#define RUNS 2000
#define ROUNDS 50

static void
do_nothing (gpointer data, gint64 first, gint64 end, int thread)
{
  (void) data, (void) first, (void) end, (void) thread;
}

static double
measure_ns (int n_threads)
{
  double least = G_MAXDOUBLE;

  for (int round = 0; round < ROUNDS; round++)
    {
      gint64 start = g_get_monotonic_time ();

      for (int i = 0; i < RUNS; i++)
        tp_pool_run (n_threads, n_threads, do_nothing, NULL);
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
  for (int i = 1; i <= n; i++)
    printf ("fork-join %d threads %.0f ns\n", i, measure_ns (i));
  return 0;
}
