/* test-graph.c: the builder: order, shapes, folding, errors, and long chains. */
#include "config.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/graph-value.h"
#include "ir/graph.h"
#include "ir/op.h"

#include <string.h>

static const TpDimSpec square[] = { { 2, NULL }, { 2, NULL } };
static const TpTensorSpec input
    = { "x", TPLAN_DTYPE_FLOAT32, 2, square, "inputs[0]" };

static void
add_node (TpGraphBuilder *builder, const char *type, const char *a,
          const char *b, const char *out)
{
  g_autoptr (GError) error = NULL;
  TpNode node = { .type = type, .place = out };
  const char *inputs[] = { a, b };
  TpNodeNames names = { b ? 2 : 1, inputs, 1, &out };

  tp_graph_builder_add_node (builder, &node, names, &error);
  g_assert_no_error (error);
}

static TpGraphBuilder *
new_builder (void)
{
  g_autoptr (GError) error = NULL;
  TpGraphBuilder *builder = tp_graph_builder_new ("test", 17);

  tp_graph_builder_add_input (builder, &input, &error);
  g_assert_no_error (error);
  return builder;
}

static TpGraph *
finish (TpGraphBuilder *builder, const char *output)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph;

  tp_graph_builder_add_output (builder, output, "outputs[0]", &error);
  g_assert_no_error (error);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

static void
assert_fails (TpGraphBuilder *builder, const char *output, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;

  tp_graph_builder_add_output (builder, output, "outputs[0]", NULL);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("'%s' is not like '%s'", error->message, pattern);
}

static void
test_order (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (TpGraph) graph = NULL;

  add_node (builder, "Add", "b", "a", "c");
  add_node (builder, "Relu", "a", NULL, "b");
  add_node (builder, "Relu", "x", NULL, "a");
  graph = finish (builder, "c");
  g_assert_cmpint (graph->n_nodes, ==, 3);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < graph->nodes[i].n_inputs; j++)
      g_assert_cmpint (graph->tensors[graph->nodes[i].inputs[j]].producer, <,
                       i);
  g_assert_cmpstr (graph->nodes[2].type, ==, "Add");
  g_assert_cmpstr (graph->nodes[2].name, ==, "Add_0");
}

static void
test_links (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (TpGraph) graph = NULL;
  const TpTensor *x;

  add_node (builder, "Add", "x", "x", "a");
  add_node (builder, "Add", "a", "x", "b");
  graph = finish (builder, "b");
  x = &graph->tensors[graph->inputs[0]];
  g_assert_true (x->is_input);
  g_assert_cmpint (x->n_consumers, ==, 2);
  g_assert_cmpint (x->consumers[0], ==, 0);
  g_assert_cmpint (x->consumers[1], ==, 1);
  g_assert_cmpint (x->size_bytes, ==, 16);
  g_assert_true (graph->tensors[graph->outputs[0]].is_output);
  g_assert_cmpint (graph->tensors[graph->outputs[0]].producer, ==, 1);
}

static void
test_cycle (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();

  add_node (builder, "Add", "x", "c", "a");
  add_node (builder, "Relu", "a", NULL, "b");
  add_node (builder, "Relu", "b", NULL, "c");
  add_node (builder, "Relu", "c", NULL, "y");
  assert_fails (builder, "y", "*cycle of 3: 'a' <- 'c' <- 'b' <- 'a'*");
}

static void
test_own_cycle (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();

  add_node (builder, "Relu", "y", NULL, "y");
  assert_fails (builder, "y", "y: the ops form a cycle of 1: 'y' <- 'y'*");
}

static void
test_unknown_name (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();

  add_node (builder, "Add", "x", "typo", "y");
  assert_fails (builder, "y", "y.inputs?1?:*'typo'*define it*");
}

static void
test_duplicate (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (GError) error = NULL;
  TpTensor constant = { .name = "x", .init = { .kind = TP_INIT_FILL } };

  g_assert_false (
      tp_graph_builder_add_constant (builder, &constant, "here", &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "already defined at inputs[0]"));
}

static void
test_fold (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (TpGraph) graph = NULL;
  static const float values[] = { -1, 2, -3, 4 };
  TpTensor constant = { .name = "c",
                        .dtype = TPLAN_DTYPE_FLOAT32,
                        .rank = 2,
                        .dims = (gint64[]){ 2, 2 },
                        .init = { .kind = TP_INIT_DATA, .data = values } };
  float found[4];

  tp_graph_builder_add_constant (builder, &constant, "c", NULL);
  add_node (builder, "Relu", "c", NULL, "r");
  add_node (builder, "Add", "r", "c", "s");
  add_node (builder, "Add", "x", "s", "y");
  graph = finish (builder, "y");
  g_assert_cmpint (graph->n_nodes, ==, 1);
  tp_tensor_write_value (&graph->tensors[graph->nodes[0].inputs[1]], found);
  g_assert_cmpfloat (found[0], ==, -1);
  g_assert_cmpfloat (found[1], ==, 4);
  g_assert_cmpfloat (found[3], ==, 8);
}

static void
test_opaque (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  TpNodeCost cost = { .device = "cpu", .time_ns = 5 };
  TpNode node = { .type = "Mystery", .place = "m", .n_costs = 1,
                  .costs = &cost };
  TpTensorSpec spec = { "y", TPLAN_DTYPE_INT32, 2, square, "m" };
  const char *in = "x", *out = "y";

  g_assert_true (tp_graph_builder_add_node (
      builder, &node, (TpNodeNames){ 1, &in, 1, &out }, &error));
  g_assert_true (tp_graph_builder_declare (builder, &spec, &error));
  graph = finish (builder, "y");
  g_assert_null (graph->nodes[0].op);
  g_assert_cmpint (graph->nodes[0].costs[0].time_ns, ==, 5);
  g_assert_cmpint (graph->tensors[graph->outputs[0]].size_bytes, ==, 16);
}

static void
test_opaque_without_shape (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  TpNodeCost cost = { .device = "cpu", .time_ns = 5 };
  TpNode node = { .type = "Mystery", .place = "m", .n_costs = 1,
                  .costs = &cost };
  const char *in = "x", *out = "y";

  g_assert_true (tp_graph_builder_add_node (
      builder, &node, (TpNodeNames){ 1, &in, 1, &out }, NULL));
  assert_fails (builder, "y", "m: op 'Mystery_0' (Mystery): *\"shapes\"*");
}

/* A long chain, given backwards: deep for whoever recurses. */
static void
test_chain (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (TpGraph) graph = NULL, simple = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *digest = NULL;
  const int n = 200000;

  for (int i = n; i > 0; i--)
    {
      g_autofree char *in = i == 1 ? g_strdup ("x")
                                   : g_strdup_printf ("t%d", i - 1);
      g_autofree char *out = g_strdup_printf ("t%d", i);

      add_node (builder, "Relu", in, NULL, out);
    }
  graph = finish (builder, "t200000");
  g_assert_cmpint (graph->n_nodes, ==, n);
  simple = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (simple->n_nodes, ==, n);
  digest = tp_graph_digest (simple);
  g_assert_cmpint (strlen (digest), ==, 64);
}

/* A constant read by very many ops, and an op with very many inputs. */
static void
test_wide (void)
{
  g_autoptr (TpGraphBuilder) builder = new_builder ();
  g_autoptr (TpGraph) graph = NULL;
  TpNodeCost cost = { .device = "cpu", .time_ns = 5 };
  TpNode node = { .type = "Mystery", .n_costs = 1, .costs = &cost };
  TpTensorSpec spec = { "y", TPLAN_DTYPE_FLOAT32, 2, square, "m" };
  g_autofree const char **inputs = g_new0 (const char *, 100000);
  const char *out = "y";
  TpNodeNames names = { 100000, inputs, 1, &out };

  for (int i = 0; i < 100000; i++)
    inputs[i] = "x";
  g_assert_true (tp_graph_builder_add_node (builder, &node, names, NULL));
  g_assert_true (tp_graph_builder_declare (builder, &spec, NULL));
  graph = finish (builder, "y");
  g_assert_cmpint (graph->tensors[graph->inputs[0]].n_consumers, ==, 1);
}

/* The published vectors of docs/graph-format.md. */
static void
test_random (void)
{
  static const guint32 expected[] = { 0x3c3ce344, 0x3d2e5e8e, 0x3da71372 };
  TpTensor tensor = { .dtype = TPLAN_DTYPE_FLOAT32, .rank = 1,
                      .dims = (gint64[]){ 3 },
                      .count = 3, .size_bytes = 12,
                      .init = { .kind = TP_INIT_RANDOM, .seed = 1,
                                .value = 0.05 } };
  guint32 found[3];

  tp_tensor_write_value (&tensor, found);
  for (int i = 0; i < 3; i++)
    g_assert_cmphex (found[i], ==, expected[i]);
}

static void
test_scale (void)
{
  static const float data[] = { 1, 2, 3, 4, 5, 6 };
  static const double scale[] = { 10, 0.5 };
  TpTensor tensor = { .dtype = TPLAN_DTYPE_FLOAT32, .rank = 2,
                      .dims = (gint64[]){ 2, 3 },
                      .count = 6, .size_bytes = 24,
                      .init = { .kind = TP_INIT_DATA, .data = data,
                                .scale = scale } };
  float found[6];
  double wide[6];

  tp_tensor_write_value (&tensor, found);
  tp_tensor_write_doubles (&tensor, wide);
  g_assert_cmpfloat (found[2], ==, 30);
  g_assert_cmpfloat (found[3], ==, 2);
  g_assert_cmpfloat (wide[5], ==, 3);
}

/* Integers that are no doubles, from any address, in pieces of any size. */
static void
test_transposed (void)
{
  static const gint64 values[] = { G_MAXINT64, G_MININT64, 3,
                                   -G_MAXINT64, (1LL << 53) + 1, 5 };
  static const gint64 steps[] = { 1, 3 }; /* of 3 x 2, whose source is 2 x 3 */
  char memory[sizeof values + 1];
  TpTensor tensor = { .dtype = TPLAN_DTYPE_INT64, .rank = 2,
                      .dims = (gint64[]){ 3, 2 },
                      .strides = (gint64[]){ 2, 1 }, .count = 6,
                      .size_bytes = sizeof values };

  memcpy (memory + 1, values, sizeof values);
  tensor.init = (TpInit){ .kind = TP_INIT_DATA, .data = memory + 1,
                          .steps = steps };
  for (int first = 0; first < 6; first++)
    for (int n = 0; n <= 6 - first; n++)
      {
        gint64 found[6] = { 0 };

        tp_tensor_write_part (&tensor, first, n, found);
        for (int i = 0; i < n; i++)
          g_assert_cmpint (found[i], ==,
                           values[(first + i) / 2 + (first + i) % 2 * 3]);
        g_assert_true (n == 6 || found[n] == 0);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/order", test_order);
  g_test_add_func ("/graph/links", test_links);
  g_test_add_func ("/graph/cycle", test_cycle);
  g_test_add_func ("/graph/own-cycle", test_own_cycle);
  g_test_add_func ("/graph/unknown-name", test_unknown_name);
  g_test_add_func ("/graph/duplicate", test_duplicate);
  g_test_add_func ("/graph/fold", test_fold);
  g_test_add_func ("/graph/opaque", test_opaque);
  g_test_add_func ("/graph/opaque-without-shape", test_opaque_without_shape);
  g_test_add_func ("/graph/chain", test_chain);
  g_test_add_func ("/graph/wide", test_wide);
  g_test_add_func ("/graph/random", test_random);
  g_test_add_func ("/graph/scale", test_scale);
  g_test_add_func ("/graph/transposed", test_transposed);
  return g_test_run ();
}
