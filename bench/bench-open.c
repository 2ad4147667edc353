/* bench-open.c: what opening a model takes: time and memory of reading it, and
 * of preparing it for planning; median of 9.
 *
 * usage: bench-open MODEL... */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/compare.h"
#include "ir/graph.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define N_ROUNDS 9

static gsize
get_heap (void)
{
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
}

typedef struct
{
  gint64 read_us[N_ROUNDS], prepare_us[N_ROUNDS];
  gsize read_bytes, prepare_bytes;
} Figures;

static gboolean
open_once (const char *path, Figures *figures, int round, GError **error)
{
  gsize heap = get_heap ();
  gint64 start = g_get_monotonic_time (), middle;
  g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, error);
  g_autoptr (TpGraph) prepared = NULL;

  if (graph == NULL)
    return FALSE;
  middle = g_get_monotonic_time ();
  figures->read_us[round] = middle - start;
  figures->read_bytes = get_heap () - heap;
  prepared = tp_graph_prepare (graph, error);
  figures->prepare_us[round] = g_get_monotonic_time () - middle;
  figures->prepare_bytes = get_heap () - heap;
  return prepared != NULL;
}

int
main (int argc, char **argv)
{
  printf ("%-40s %10s %10s %12s %12s\n", "model", "read ms", "prepare ms",
          "read KiB", "both KiB");
  for (int i = 1; i < argc; i++)
    {
      g_autoptr (GError) error = NULL;
      Figures figures = { .read_bytes = 0 };

      for (int round = 0; round < N_ROUNDS; round++)
        if (!open_once (argv[i], &figures, round, &error))
          {
            fprintf (stderr, "%s\n", error->message);
            return EXIT_FAILURE;
          }
      qsort (figures.read_us, N_ROUNDS, sizeof (gint64), tp_compare_int64);
      qsort (figures.prepare_us, N_ROUNDS, sizeof (gint64), tp_compare_int64);
      printf ("%-40s %10.2f %10.2f %12.1f %12.1f\n", argv[i],
              figures.read_us[N_ROUNDS / 2] / 1e3,
              figures.prepare_us[N_ROUNDS / 2] / 1e3,
              figures.read_bytes / 1024.0, figures.prepare_bytes / 1024.0);
    }
  return EXIT_SUCCESS;
}
