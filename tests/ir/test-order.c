/* test-order.c: orders in which less is alive are orders, and take what is said. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/graph-order.h"

#include <string.h>

#define MAX_OPS 8

/* Every op makes one tensor; half of what it reads was made just before. */
static TpGraph *
draw_graph (int n, gboolean is_tree)
{
  g_autoptr (GString) text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"name\": \"drawn\", \"opset\": 17,"
      "\"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [3]}],"
      "\"ops\": [");
  g_autoptr (GError) error = NULL;
  g_autofree gboolean *is_read = g_new0 (gboolean, n + 1);
  TpGraph *graph;

  for (int i = 0; i < n; i++)
    {
      int n_reads = 0;

      g_string_append_printf (text, "%s{\"type\": \"F\", \"name\": \"f%d\","
                                    "\"inputs\": [", i > 0 ? "," : "", i);
      for (int k = i - 1; k >= 0; k--)
        if ((!is_tree || !is_read[k])
            && (i == n - 1 ? !is_read[k] : g_test_rand_int_range (0, 3) == 0))
          {
            g_string_append_printf (text, "%s\"t%d\"",
                                    n_reads++ > 0 ? "," : "", k);
            is_read[k] = TRUE;
          }
      g_string_append_printf (text, "%s], \"outputs\": [\"t%d\"], \"shapes\":"
                                    "[[%d]], \"cost\": {\"ref\": 1}}",
                              n_reads > 0 ? "" : "\"x\"", i,
                              g_test_rand_int_range (1, 20));
    }
  g_string_append_printf (text, "], \"outputs\": [\"t%d\"]}", n - 1);
  graph = tp_graph_load_json ("drawn", text->str, text->len, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

/* [tensor]: the place of the op that makes it, and of the last that reads it. */
static gint64
find_peak_plainly (const TpGraph *graph, const int *order)
{
  g_autofree int *places = g_new (int, graph->n_nodes + 1);
  gint64 peak = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    places[order[i]] = i;
  for (int at = 0; at < graph->n_nodes; at++)
    {
      gint64 live = 0;

      for (int t = 0; t < graph->n_tensors; t++)
        {
          const TpTensor *it = &graph->tensors[t];
          int first = it->producer < 0 ? 0 : places[it->producer];
          int last = t == graph->outputs[0] ? graph->n_nodes : first;

          for (int k = 0; k < it->n_consumers; k++)
            last = MAX (last, places[it->consumers[k]]);
          if (first <= at && at <= last)
            live += it->size_bytes;
        }
      peak = MAX (peak, live);
    }
  return peak;
}

static gboolean
may_run (const TpGraph *graph, int index, guint done)
{
  const TpNode *node = &graph->nodes[index];

  for (int i = 0; i < node->n_inputs; i++)
    {
      int maker = graph->tensors[node->inputs[i]].producer;

      if (maker >= 0 && (done & 1u << maker) == 0)
        return FALSE;
    }
  return TRUE;
}

/* The least of all orders that begin with the @n of @order. */
static gint64
try_all (const TpGraph *graph, int *order, int n, guint done)
{
  gint64 least = G_MAXINT64;

  if (n == graph->n_nodes)
    return find_peak_plainly (graph, order);
  for (int i = 0; i < graph->n_nodes; i++)
    if ((done & 1u << i) == 0 && may_run (graph, i, done))
      {
        order[n] = i;
        least = MIN (least, try_all (graph, order, n + 1, done | 1u << i));
      }
  return least;
}

/* What is found is an order, takes what is said, and no more than the file's. */
static gint64
check_found (const TpGraph *graph)
{
  g_autofree int *order = tp_graph_order_find (graph);
  g_autofree int *plain = g_new (int, graph->n_nodes + 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) ordered = tp_graph_order (graph, &error);
  gint64 peak = find_peak_plainly (graph, order);
  guint done = 0;

  g_assert_no_error (error);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      plain[i] = i;
      g_assert_true ((done & 1u << order[i]) == 0);
      g_assert_true (may_run (graph, order[i], done));
      done |= 1u << order[i];
      g_assert_cmpstr (ordered->nodes[i].name, ==, graph->nodes[order[i]].name);
    }
  g_assert_cmpint (tp_graph_order_find_peak (graph, order), ==, peak);
  g_assert_cmpint (tp_graph_order_find_peak (graph, NULL), ==,
                   find_peak_plainly (graph, plain));
  g_assert_cmpint (tp_graph_order_find_peak (ordered, NULL), ==, peak);
  g_assert_cmpint (peak, <=, find_peak_plainly (graph, plain));
  return peak;
}

/* Against all orders: never less; how often the least, in percent. */
static int
count_least (gboolean is_tree)
{
  int n_least = 0;

  for (int round = 0; round < 200; round++)
    {
      g_autoptr (TpGraph) graph
          = draw_graph (g_test_rand_int_range (2, MAX_OPS + 1), is_tree);
      int order[MAX_OPS];
      gint64 found = check_found (graph);
      gint64 least = try_all (graph, order, 0, 0);

      g_assert_cmpint (found, >=, least);
      n_least += found == least;
    }
  return n_least / 2;
}

static void
test_least (gconstpointer is_tree)
{
  int share = count_least (is_tree != NULL);

  g_test_message ("%d %% take least", share);
  g_assert_cmpint (share, >=, 90);
}

/* Too many orders to try. */
static void
test_large (void)
{
  for (int n = 1; n < 30; n++)
    {
      g_autoptr (TpGraph) graph = draw_graph (n, FALSE);

      check_found (graph);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/order/least/trees", GINT_TO_POINTER (TRUE),
                        test_least);
  g_test_add_data_func ("/order/least/others", NULL, test_least);
  g_test_add_func ("/order/larger", test_large);
  return g_test_run ();
}
