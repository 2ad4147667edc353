/* test-cache.c: what a CacheUpdate has to do, which is no more than what is new where
 * the cache is a state of the graph. */
#include "config.h"

#include "format/graph-load.h"
#include "nest/nest-work.h"
#include "ops/like.h"
#include "ops/lower.h"

#include <string.h>

/* %d: places; %s: who else reads the state. Another cache is none. */
static const char caches[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"caches\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"shape\": [2, 3, %d, 4]},"
      " {\"name\": \"u\", \"shape\": [2, 3, 1, 4]},"
      " {\"name\": \"at\", \"shape\": [2, 1], \"dtype\": \"int64\"}],"
      " \"outputs\": [\"y\", \"z\", \"w\"],"
      " \"state\": [{\"name\": \"s\", \"shape\": [2, 3, %d, 4],"
      " \"next\": \"n\"}],"
      " \"ops\": [{\"type\": \"CacheUpdate\", \"inputs\":"
      " [\"s\", \"at\", \"u\"], \"outputs\": [\"n\"]},"
      " {\"type\": \"CacheUpdate\", \"inputs\": [\"x\", \"at\", \"u\"],"
      " \"outputs\": [\"y\"]},"
      " {\"type\": \"Neg\", \"inputs\": [\"n\"], \"outputs\": [\"z\"]},"
      " {\"type\": \"Abs\", \"inputs\": [\"%s\"], \"outputs\": [\"w\"]}]}";

static TpGraph *
new_caches (int n_places, const char *read)
{
  g_autofree char *text = g_strdup_printf (caches, n_places, n_places, read);
  g_autoptr (GError) error = NULL;
  TpGraph *graph = tp_graph_load_json ("caches.json", text, strlen (text), NULL,
                                       &error);

  g_assert_no_error (error);
  return graph;
}

static TpLowered *
lower_maker (const TpGraph *graph, const char *tensor)
{
  g_autoptr (GError) error = NULL;
  TpLowered *lowered = NULL;

  for (int i = 0; i < graph->n_tensors; i++)
    if (strcmp (graph->tensors[i].name, tensor) == 0)
      lowered = tp_lower_nodes (graph, &graph->tensors[i].producer, 1, &error);
  g_assert_no_error (error);
  return lowered;
}

/* Of a state that nobody else reads nothing is read, and what is new is written, however
 * long it is. */
static void
test_cache (void)
{
  static const int n_places[] = { 8, 4096 };

  for (gsize i = 0; i < G_N_ELEMENTS (n_places); i++)
    {
      g_autoptr (TpGraph) graph = new_caches (n_places[i], "u");
      g_autoptr (TpGraph) shared = new_caches (n_places[i], "s");
      g_autofree int *like = tp_lower_find_like (graph, NULL);
      g_autoptr (TpLowered) state = lower_maker (graph, "n");
      g_autoptr (TpLowered) plain = lower_maker (graph, "y");
      g_autoptr (TpLowered) read = lower_maker (shared, "n");
      TpWork work;

      g_assert_cmpint (state->n_nests, ==, 1);
      tp_lowered_count_work (state, &work);
      g_assert_cmpint (work.read_bytes, ==, 4 * 24 + 8 * 2);
      g_assert_cmpint (work.written_bytes, ==, 4 * 24);
      g_assert_cmpint (plain->n_nests, ==, 2);
      g_assert_cmpint (read->n_nests, ==, 2);
      g_assert_cmpint (like[0], ==, 0);
      g_assert_cmpint (like[1], ==, 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cache/work", test_cache);
  return g_test_run ();
}
