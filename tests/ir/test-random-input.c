/* test-random-input.c: inputs by chance are such as the graph can use. */
#include "config.h"

#include "ops/random-input.h"
#include "op-support.h"

static TpGraph *
new_graph (const char *text)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph = test_graph_new (17, text, &error);

  g_assert_no_error (error);
  return graph;
}

/* The least and the largest of input 0. */
static void
find_range (const char *text, gint64 *out_low, gint64 *out_high)
{
  g_autoptr (TpGraph) graph = new_graph (text);
  const TpTensor *tensor = &graph->tensors[graph->inputs[0]];
  g_autofree gint64 *data = g_new (gint64, tensor->count);

  g_assert_cmpint (tensor->dtype, ==, TPLAN_DTYPE_INT64);
  tp_random_input_write (graph, graph->inputs[0], 3, 1.0, data);
  *out_low = *out_high = data[0];
  for (gint64 i = 0; i < tensor->count; i++)
    {
      *out_low = MIN (*out_low, data[i]);
      *out_high = MAX (*out_high, data[i]);
    }
}

static void
test_range (void)
{
  static const struct
  {
    const char *text;
    gint64 high;
  } rows[] = {
    { "int64 i 5000;const w 300 2;Gather w i -> z", 299 },
    { "int64 i 2000;const w 2 7;Gather w i -> z axis=-1", 6 },
    /* the smaller of two tables, through ops that move */
    { "int64 i 10 200;ints s 20 100;const w 300 1;const v 200 1;"
      "Reshape i s -> r;Transpose r -> t;Gather w t -> y;Gather v r -> z",
      199 },
    { "int64 i 200 2;const w 5 9;GatherND w i -> z", 4 },
    /* half of the rows, as two are added */
    { "int64 i 2000;ints two 2;const w 300 2;Add i two -> j;Gather w j -> z", 149 },
    /* where keys of a cache of 40 places go */
    { "int64 l 200;in q 200 1 8;in k 200 1 8;in p 200 2 40 4;int32 t 1;"
      "com.microsoft.GroupQueryAttention q k k p p l t -> y num_heads=2 kv_num_heads=2", 19 },
    /* no index: a mask */
    { "int64 i 200;int64 j 200;Add i j -> z", 1 },
    /* what is picked from, not what picks */
    { "int64 i 200;int64 j 3;Gather i j -> z", 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      gint64 low = 0;
      gint64 high = 0;

      find_range (rows[i].text, &low, &high);
      g_assert_cmpint (low, ==, 0);
      g_assert_cmpint (high, ==, rows[i].high);
    }
}

static void
test_reals (void)
{
  g_autoptr (TpGraph) graph = new_graph ("in x 5000;Neg x -> z");
  g_autofree float *data = g_new (float, 5000);

  tp_random_input_write (graph, graph->inputs[0], 7, 2.0, data);
  for (gint64 i = 0; i < 5000; i++)
    g_assert_cmpfloat (data[i], ==, (float)(tp_random_uniform (7, i) * 2.0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random-input/range", test_range);
  g_test_add_func ("/random-input/reals", test_reals);
  return g_test_run ();
}
