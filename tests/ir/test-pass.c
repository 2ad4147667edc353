/* test-pass.c: passes change what a graph looks like, never what it computes. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/op.h"
#include "ops/reference.h"
#include "quoted-graph.h"

#include <math.h>
#include <string.h>

/* A graph from JSON with single quotes; x is [2, 3, 6, 6], w [4, 3, 3, 3]. */
static TpGraph *
load (const char *ops, const char *outputs)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': "
      "[2, 3, 6, 6]}], 'initializers': ["
      "{'name': 'w', 'shape': [4, 3, 3, 3], 'random': {'seed': 1}}, "
      "{'name': 'v', 'shape': [4, 4, 1, 1], 'random': {'seed': 7}}, "
      "{'name': 'u', 'shape': [3, 1, 3, 3], 'random': {'seed': 8}}, "
      "{'name': 'b', 'shape': [4], 'random': {'seed': 2}}, "
      "{'name': 'scale', 'shape': [4], 'data': [1, 2, -0.5, 3]}, "
      "{'name': 'bias', 'shape': [4], 'random': {'seed': 4}}, "
      "{'name': 'mean', 'shape': [4], 'random': {'seed': 5}}, "
      "{'name': 'var', 'shape': [4], 'data': [1, 0.25, 4, 2]}, "
      "{'name': 'points', 'shape': [2, 2, 3, 2], 'random': {'seed': 9}}, "
      "{'name': 'point', 'shape': [1, 2, 3, 2], 'random': {'seed': 10}}, "
      "{'name': 'many', 'dtype': 'int64', 'shape': [4], 'data': [1, 18, 3, 4]}, "
      "{'name': 'line', 'dtype': 'int64', 'shape': [3], 'data': [2, 3, 36]}, "
      "{'name': 'lines', 'shape': [4, 3, 5], 'random': {'seed': 11}}, "
      "{'name': 'volume', 'dtype': 'int64', 'shape': [5], 'data': [2, 3, 3, 4, 3]}, "
      "{'name': 'volumes', 'shape': [4, 3, 2, 2, 2], 'random': {'seed': 12}}, "
      "{'name': 'from', 'dtype': 'int64', 'shape': [1], 'data': [0]}, "
      "{'name': 'to', 'dtype': 'int64', 'shape': [1], 'data': [1]}, "
      "{'name': 'zeros', 'dtype': 'int64', 'shape': [2], 'data': [0, 0]}, "
      "{'name': 'fours', 'dtype': 'int64', 'shape': [2], 'data': [4, 4]}, "
      "{'name': 'planes', 'dtype': 'int64', 'shape': [2], 'data': [1, 2]}, "
      "{'name': 'flat', 'dtype': 'int64', 'shape': [2], 'data': [2, -1]}], "
      "'ops': [%s], 'outputs': [%s]}", ops, outputs);

  return test_load_quoted (text);
}

#define CONV                                                                  \
  "{'type': 'Conv', 'inputs': ['x', 'w', 'b'], 'outputs': ['c']}"
#define NORM(in, out)                                                         \
  "{'type': 'BatchNormalization', 'inputs': ['" in "', 'scale', 'bias', "     \
  "'mean', 'var'], 'outputs': ['" out "'], 'attrs': {'epsilon': 0.001}}"
#define UNARY(type, in, out)                                                  \
  "{'type': '" type "', 'inputs': ['" in "'], 'outputs': ['" out "']}"
#define CAST(in, out, to)                                                     \
  "{'type': 'Cast', 'inputs': ['" in "'], 'outputs': ['" out "'], "           \
  "'attrs': {'to': " to "}}"
#define RESHAPE(in, out)                                                      \
  "{'type': 'Reshape', 'inputs': ['" in "', 'flat'], 'outputs': ['" out "']}"

static const TpNode *
find_node (const TpGraph *graph, const char *type)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (strcmp (graph->nodes[i].type, type) == 0)
      return &graph->nodes[i];
  return NULL;
}

/* Both graphs give the same outputs, under the same names. */
static void
assert_same (const TpGraph *a, const TpGraph *b)
{
  g_autofree double *x = g_new (double, 2 * 3 * 6 * 6);
  const double *inputs[] = { x };
  g_autoptr (GPtrArray) from_a = NULL, from_b = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 2 * 3 * 6 * 6; i++)
    x[i] = tp_random_uniform (3, i);
  from_a = tp_graph_run_reference (a, inputs, FALSE, &error);
  g_assert_no_error (error);
  from_b = tp_graph_run_reference (b, inputs, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (a->n_outputs, ==, b->n_outputs);
  for (int i = 0; i < a->n_outputs; i++)
    {
      const TpTensor *tensor = &a->tensors[a->outputs[i]];
      const double *va = g_ptr_array_index (from_a, i);
      const double *vb = g_ptr_array_index (from_b, i);

      g_assert_cmpstr (tensor->name, ==, b->tensors[b->outputs[i]].name);
      for (gint64 j = 0; j < tensor->count; j++)
        g_assert_cmpfloat (fabs (va[j] - vb[j]), <, 1e-5 * (1 + fabs (va[j])));
    }
}

/* Simplifies and checks the number of nodes left, and the results. */
static TpGraph *
simplify (const char *ops, const char *outputs, int n_nodes)
{
  g_autoptr (TpGraph) graph = load (ops, outputs);
  g_autoptr (GError) error = NULL;
  TpGraph *simple = tp_graph_simplify (graph, &error);

  g_assert_no_error (error);
  g_assert_cmpint (simple->n_nodes, ==, n_nodes);
  assert_same (graph, simple);
  return simple;
}

/* ---- simplify ---------------------------------------------------------- */

static void
test_norm (void)
{
  g_autoptr (TpGraph) graph = simplify (
      CONV ", " NORM ("c", "n") ", " UNARY ("Relu", "n", "y"), "'y'", 2);
  const TpNode *conv = &graph->nodes[0];
  const TpTensor *w = &graph->tensors[conv->inputs[1]];

  g_assert_cmpstr (conv->type, ==, "Conv");
  g_assert_cmpint (w->init.kind, ==, TP_INIT_RANDOM);
  g_assert_nonnull (w->init.scale);
  g_assert_cmpfloat (fabs (w->init.scale[1] - 2 / sqrt (0.251)), <, 1e-9);
  g_assert_cmpint (graph->tensors[conv->inputs[2]].init.kind, ==,
                   TP_INIT_DATA);
}

static void
test_norm_without_bias (void)
{
  tp_graph_unref (simplify (
      "{'type': 'Conv', 'inputs': ['x', 'w'], 'outputs': ['c']}, "
      NORM ("c", "y"), "'y'", 1));
}

static void
test_norm_twice (void)
{
  tp_graph_unref (simplify (CONV ", " NORM ("c", "n") ", " NORM ("n", "y"),
                            "'y'", 1));
}

/* Two convolutions share weights; each gets factors of its own. */
static void
test_norm_shared_weights (void)
{
  tp_graph_unref (simplify (
      CONV ", " NORM ("c", "n") ", "
      "{'type': 'Conv', 'inputs': ['x', 'w'], 'outputs': ['d']}, "
      "{'type': 'Add', 'inputs': ['n', 'd'], 'outputs': ['y']}", "'y'", 3));
}

static void
test_norm_kept (void)
{
  tp_graph_unref (simplify (
      CONV ", " NORM ("c", "n") ", "
      "{'type': 'Add', 'inputs': ['n', 'c'], 'outputs': ['y']}", "'y'", 3));
  tp_graph_unref (simplify (CONV ", " NORM ("c", "y"), "'y', 'c'", 2));
  tp_graph_unref (simplify (
      CONV ", " UNARY ("Relu", "c", "r") ", " NORM ("r", "y"), "'y'", 3));
}

/* Channels by the hundred million are declared in a few bytes: nothing is made
 * of them. */
static void
test_norm_huge (void)
{
  g_autofree char *text = g_strdup (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [1, 1, 3, "
      "3]}], 'initializers': [{'name': 'w', 'shape': [300000000, 1, 3, 3], "
      "'random': {'seed': 1}}, {'name': 'a', 'shape': [300000000], 'fill': 1}],"
      " 'ops': [{'type': 'Conv', 'inputs': ['x', 'w'], 'outputs': ['c']}, "
      "{'type': 'BatchNormalization', 'inputs': ['c', 'a', 'a', 'a', 'a'], "
      "'outputs': ['y']}], 'outputs': ['y']}");
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, ready = NULL;

  graph = test_load_quoted (text);
  ready = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ready->n_nodes, ==, 2);
}

static void
test_identity (void)
{
  tp_graph_unref (simplify (
      UNARY ("Identity", "x", "i") ", " UNARY ("Identity", "i", "j") ", "
      UNARY ("Relu", "j", "y"), "'y'", 1));
  tp_graph_unref (simplify (
      UNARY ("Dropout", "x", "i") ", " UNARY ("Relu", "i", "y"), "'y'", 1));
  tp_graph_unref (simplify (
      CAST ("x", "i", "1") ", " UNARY ("Relu", "i", "y"), "'y'", 1));
  tp_graph_unref (simplify (
      CAST ("x", "i", "6") ", " UNARY ("Relu", "i", "y"), "'y'", 2));
}

/* The name of an output stays, whoever writes it. */
static void
test_identity_output (void)
{
  tp_graph_unref (simplify (
      UNARY ("Relu", "x", "r") ", " UNARY ("Tanh", "r", "t") ", "
      UNARY ("Identity", "r", "y"), "'y', 't'", 2));
  tp_graph_unref (simplify (UNARY ("Identity", "x", "y"), "'y'", 1));
  tp_graph_unref (simplify (
      UNARY ("Relu", "x", "r") ", " UNARY ("Identity", "r", "a") ", "
      UNARY ("Identity", "r", "y") ", " UNARY ("Identity", "a", "z") ", "
      UNARY ("Tanh", "a", "t"), "'y', 'z', 't'", 3));
}

static void
test_dead (void)
{
  g_autoptr (TpGraph) graph = simplify (
      CONV ", " UNARY ("Tanh", "c", "t") ", " UNARY ("Relu", "x", "y"), "'y'",
      1);

  for (int i = 0; i < graph->n_tensors; i++)
    g_assert_cmpstr (graph->tensors[i].name, !=, "w");
}

/* ---- layout ------------------------------------------------------------ */

static TpGraph *
lay_out (const char *ops, const char *outputs, int n_relayouts)
{
  g_autoptr (TpGraph) graph = load (ops, outputs);
  g_autoptr (GError) error = NULL;
  TpGraph *laid = tp_graph_prepare (graph, &error);
  int n = 0;

  g_assert_no_error (error);
  for (int i = 0; i < laid->n_nodes; i++)
    n += strcmp (laid->nodes[i].type, "Relayout") == 0;
  g_assert_cmpint (n, ==, n_relayouts);
  for (int i = 0; i < laid->n_outputs; i++)
    {
      const TpTensor *tensor = &laid->tensors[laid->outputs[i]];
      gint64 strides[TP_MAX_RANK];

      tp_dims_row_major (tensor->rank, tensor->dims, strides);
      for (int j = 0; j < tensor->rank; j++)
        g_assert_cmpint (tensor->strides[j], ==, strides[j]);
    }
  assert_same (graph, laid);
  return laid;
}

static void
assert_channels_last (const TpGraph *graph, int tensor)
{
  const TpTensor *t = &graph->tensors[tensor];

  gint64 stride = t->dims[1];

  g_assert_cmpint (t->strides[1], ==, 1);
  for (int i = t->rank - 1; i > 1; i--)
    {
      g_assert_cmpint (t->strides[i], ==, stride);
      stride *= t->dims[i];
    }
  g_assert_cmpint (t->strides[0], ==, stride);
}

static void
test_layout_output (void)
{
  g_autoptr (TpGraph) graph
      = lay_out (CONV ", " UNARY ("Relu", "c", "y"), "'y'", 1);

  assert_channels_last (graph, find_node (graph, "Conv")->outputs[0]);
  assert_channels_last (graph, find_node (graph, "Relu")->outputs[0]);
  g_assert_cmpstr (graph->nodes[2].type, ==, "Relayout");
}

#define DEPTHWISE(pad)                                                        \
  "{'type': 'Conv', 'inputs': ['x', 'u'], 'outputs': ['d'], 'attrs': "        \
  "{'group': 3, 'pads': [" #pad ", " #pad ", " #pad ", " #pad "]}}"

/* A filter per channel stays in rows by itself, if these are not short, and is
 * channels-last beside other convolutions. */
static void
test_layout_depthwise (void)
{
  g_autoptr (TpGraph) graph = NULL;

  tp_graph_unref (lay_out (DEPTHWISE (5) ", " UNARY ("Relu", "d", "y"), "'y'",
                           0));
  tp_graph_unref (lay_out (DEPTHWISE (1), "'d'", 1));
  graph = lay_out (DEPTHWISE (5) ", {'type': 'Conv', 'inputs': ['d', 'w'], "
                   "'outputs': ['y']}", "'y'", 1);
  assert_channels_last (graph, find_node (graph, "Conv")->outputs[0]);
}

/* One copy in rows for all that need it, and none for those that do not. */
static void
test_layout_view (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      CONV ", " UNARY ("Relu", "c", "r") ", " RESHAPE ("r", "a") ", "
      UNARY ("Flatten", "r", "f") ", "
      "{'type': 'Conv', 'inputs': ['r', 'v'], 'outputs': ['d']}, "
      RESHAPE ("d", "e"), "'a', 'f', 'e'", 2);

  g_assert_cmpint (find_node (graph, "Reshape")->inputs[0], ==,
                   find_node (graph, "Flatten")->inputs[0]);
}

/* 1 x 1 in space: both layouts are the same bytes. */
static void
test_layout_point (void)
{
  tp_graph_unref (lay_out (
      CONV ", " UNARY ("GlobalAveragePool", "c", "p") ", "
      UNARY ("Flatten", "p", "y"), "'y'", 0));
}

#define ROOM(x, channels) /* @channels in one image that is more than a point */ \
  "{'type': 'Reshape', 'inputs': ['" x "', '" channels "'], 'outputs': ['i']}, "
#define LOOK(image, points, out)                                              \
  "{'type': 'GridSample', 'inputs': ['" image "', '" points "'], 'outputs': ['" out "']}"

/* An image that comes in rows is turned for all that look at its places, unless it has
 * few channels; what else reads it does so as it is. */
static void
test_layout_sampled (void)
{
  g_autoptr (TpGraph) graph = NULL;

  tp_graph_unref (lay_out ("{'type': 'GridSample', 'inputs': ['x', 'points'], "
                           "'outputs': ['y']}", "'y'", 0));
  graph = lay_out (ROOM ("x", "many") LOOK ("i", "point", "p") ", "
                   LOOK ("i", "point", "q") ", " UNARY ("Relu", "i", "r") ", "
                   UNARY ("Flatten", "p", "a") ", " UNARY ("Flatten", "q", "e"),
                   "'a', 'e', 'r'", 3);
  assert_channels_last (graph, find_node (graph, "GridSample")->inputs[0]);
  g_assert_cmpstr (graph->nodes[1].type, ==, "Relayout");
  g_assert_cmpint (find_node (graph, "Relu")->inputs[0], ==,
                   find_node (graph, "Reshape")->outputs[0]);
}

/* Without convolutions nothing changes, whatever the rank. */
static void
test_layout_none (void)
{
  tp_graph_unref (lay_out (
      UNARY ("Relu", "x", "r") ", {'type': 'Transpose', 'inputs': ['r'], "
      "'outputs': ['t'], 'attrs': {'perm': [0, 2, 1, 3]}}, "
      UNARY ("Softmax", "t", "s") ", " RESHAPE ("s", "y"), "'y'", 0));
}

/* Elementwise ops before a convolution are channels-last too. */
static void
test_layout_before (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      UNARY ("Tanh", "x", "t") ", "
      "{'type': 'Conv', 'inputs': ['t', 'w'], 'outputs': ['c']}, "
      UNARY ("Flatten", "c", "y"), "'y'", 1);

  assert_channels_last (graph, find_node (graph, "Tanh")->outputs[0]);
}

#define SHAPED(out, shape, w, y)                                              \
  "{'type': 'Reshape', 'inputs': ['x', '" shape "'], 'outputs': ['" out "']}, " \
  UNARY ("Tanh", out, "t") ", "                                               \
  "{'type': 'Conv', 'inputs': ['t', '" w "'], 'outputs': ['c']}, "            \
  UNARY ("Relu", "c", y)

/* Convolutions along lines and in volumes, and what is elementwise beside them. */
static void
test_layout_rank (void)
{
  static const char *const ops[] = { SHAPED ("r", "line", "lines", "y"),
                                     SHAPED ("r", "volume", "volumes", "y") };

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (TpGraph) graph = lay_out (ops[i], "'y'", 1);

      assert_channels_last (graph, find_node (graph, "Tanh")->outputs[0]);
      assert_channels_last (graph, find_node (graph, "Conv")->outputs[0]);
      assert_channels_last (graph, find_node (graph, "Relu")->outputs[0]);
    }
}

/* What is broadcast to an image, and has other dimensions, stays as it is. */
static void
test_layout_stretched (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      CONV ", {'type': 'ReduceMean', 'inputs': ['x'], 'outputs': ['m'], "
      "'attrs': {'axes': [0], 'keepdims': 0}}, "
      "{'type': 'Slice', 'inputs': ['m', 'from', 'to'], 'outputs': ['s']}, "
      "{'type': 'Slice', 'inputs': ['s', 'zeros', 'fours', 'planes'], 'outputs': ['q']}, "
      "{'type': 'Add', 'inputs': ['c', 'q'], 'outputs': ['y']}", "'y'", 1);
  const TpTensor *q
      = &graph->tensors[find_node (graph, "Add")->inputs[1]];

  assert_channels_last (graph, find_node (graph, "Add")->outputs[0]);
  g_assert_cmpint (q->strides[2], ==, 1);
}

static void
test_layout_twice (void)
{
  g_autoptr (TpGraph) graph = lay_out (CONV, "'c'", 1);
  g_autoptr (TpGraph) again = tp_graph_assign_layout (graph, NULL);
  g_autofree char *a = tp_graph_digest (graph);
  g_autofree char *b = tp_graph_digest (again);

  g_assert_cmpstr (a, ==, b);
}

/* An op of somebody else's may be called as one that the pass puts in. */
static void
test_layout_stranger (void)
{
  g_autoptr (TpGraph) graph = load (
      CONV ", {'type': 'Permute', 'inputs': ['c'], 'outputs': ['y'], "
      "'shapes': [[2, 4, 4, 4]], 'cost': {'cpu': 1}}", "'y'");
  g_autoptr (TpGraph) laid = tp_graph_assign_layout (graph, NULL);

  assert_channels_last (laid, find_node (laid, "Conv")->outputs[0]);
}

/* ---- transposes of constants --------------------------------------------- */

/* Over 1 MiB: smaller ones are computed on loading. */
static void
check_transposed (const char *ops, int n_nodes)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': "
      "[2, 3, 6, 6]}], 'initializers': [{'name': 'c', 'shape': [7, 200, 300], "
      "'random': {'seed': 1}}, {'name': 'flat', 'dtype': 'int64', 'shape': "
      "[1], 'data': [-1]}], 'ops': [{'type': 'ReduceSum', 'inputs': ['x'], "
      "'outputs': ['s'], 'attrs': {'keepdims': 0}}, %s], 'outputs': ['y']}",
      ops);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, simple = NULL;

  graph = test_load_quoted (text);
  simple = tp_graph_simplify (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (simple->n_nodes, ==, n_nodes);
  assert_same (graph, simple);
}

#define TRANSPOSE(in, perm, out)                                              \
  "{'type': 'Transpose', 'inputs': ['" in "'], 'outputs': ['" out "'], "      \
  "'attrs': {'perm': [" perm "]}}, "
#define ADD "{'type': 'Add', 'inputs': ['t', 's'], 'outputs': ['y']}"

static void
test_transpose (void)
{
  check_transposed (TRANSPOSE ("c", "1, 2, 0", "t") ADD, 2);
  check_transposed (UNARY ("Transpose", "c", "t") ", " ADD, 2);
  check_transposed (TRANSPOSE ("c", "2, 0, 1", "u")
                    TRANSPOSE ("u", "0, 2, 1", "t") ADD, 2);
}

/* Bytes in another order than those of the source cannot be viewed: both are left, to
 * be computed once. */
static void
test_transpose_view (void)
{
  check_transposed (TRANSPOSE ("c", "1, 2, 0", "u") RESHAPE ("u", "t") ", " ADD, 2);
}

/* ---- digest ------------------------------------------------------------ */

static void
test_digest (void)
{
  static const char *const ops[]
      = { UNARY ("Relu", "x", "y"), UNARY ("Tanh", "x", "y"),
          UNARY ("Dropout", "x", "y"),
          "{'type': 'Relu', 'name': 'r', 'inputs': ['x'], 'outputs': ['y']}",
          "{'type': 'LeakyRelu', 'inputs': ['x'], 'outputs': ['y']}",
          "{'type': 'LeakyRelu', 'inputs': ['x'], 'outputs': ['y'], "
          "'attrs': {'alpha': 0.5}}",
          "{'type': 'Relu', 'inputs': ['x'], 'outputs': ['y'], 'device': "
          "'cpu'}",
          "{'type': 'Relu', 'inputs': ['x'], 'outputs': ['y'], 'cost': "
          "{'cpu': 3}}" };
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (TpGraph) graph = load (ops[i], "'y'");
      g_autoptr (TpGraph) same = load (ops[i], "'y'");
      g_autofree char *again = tp_graph_digest (same);
      char *digest = tp_graph_digest (graph);

      g_assert_cmpstr (digest, ==, again);
      g_assert_true (g_hash_table_add (seen, digest));
    }
}

/* Other weights, the same plan; another shape to reshape to, another. */
static void
test_digest_values (void)
{
  static const char text[]
      = "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [2]}], "
        "'initializers': [{'name': 'b', 'shape': [2], 'data': [%s]}, "
        "{'name': 's', 'shape': [], 'data': [%s]}, {'name': 'r', 'dtype': "
        "'int64', 'shape': [2], 'data': [%s]}], 'ops': ["
        "{'type': 'Add', 'inputs': ['x', 'b'], 'outputs': ['y']}, "
        "{'type': 'Add', 'inputs': ['y', 's'], 'outputs': ['z']}, "
        "{'type': 'Reshape', 'inputs': ['z', 'r'], 'outputs': ['v']}], "
        "'outputs': ['v']}";
  static const char *const values[][3] = { { "1, 2", "3", "1, -1" },
                                           { "7, 8", "3", "1, -1" },
                                           { "1, 2", "4", "1, -1" },
                                           { "1, 2", "3", "2, -1" } };
  char *digests[4];

  for (int i = 0; i < 4; i++)
    {
      g_autofree char *json
          = g_strdup_printf (text, values[i][0], values[i][1], values[i][2]);
      g_autoptr (TpGraph) graph = NULL;

      g_strdelimit (json, "'", '"');
      graph = tp_graph_load_json ("g.json", json, strlen (json), NULL, NULL);
      digests[i] = tp_graph_digest (graph);
    }
  g_assert_cmpstr (digests[0], ==, digests[1]);
  g_assert_cmpstr (digests[0], !=, digests[2]);
  g_assert_cmpstr (digests[0], !=, digests[3]);
  for (int i = 0; i < 4; i++)
    g_free (digests[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pass/norm", test_norm);
  g_test_add_func ("/pass/norm-without-bias", test_norm_without_bias);
  g_test_add_func ("/pass/norm-twice", test_norm_twice);
  g_test_add_func ("/pass/norm-shared-weights", test_norm_shared_weights);
  g_test_add_func ("/pass/norm-kept", test_norm_kept);
  g_test_add_func ("/pass/norm-huge", test_norm_huge);
  g_test_add_func ("/pass/identity", test_identity);
  g_test_add_func ("/pass/identity-output", test_identity_output);
  g_test_add_func ("/pass/dead", test_dead);
  g_test_add_func ("/pass/layout-output", test_layout_output);
  g_test_add_func ("/pass/layout-depthwise", test_layout_depthwise);
  g_test_add_func ("/pass/layout-view", test_layout_view);
  g_test_add_func ("/pass/layout-sampled", test_layout_sampled);
  g_test_add_func ("/pass/layout-point", test_layout_point);
  g_test_add_func ("/pass/layout-none", test_layout_none);
  g_test_add_func ("/pass/layout-before", test_layout_before);
  g_test_add_func ("/pass/layout-rank", test_layout_rank);
  g_test_add_func ("/pass/layout-stretched", test_layout_stretched);
  g_test_add_func ("/pass/layout-twice", test_layout_twice);
  g_test_add_func ("/pass/layout-stranger", test_layout_stranger);
  g_test_add_func ("/pass/transpose", test_transpose);
  g_test_add_func ("/pass/transpose-view", test_transpose_view);
  g_test_add_func ("/pass/digest", test_digest);
  g_test_add_func ("/pass/digest-values", test_digest_values);
  return g_test_run ();
}
