/* test-permute.c: which Transposes need no copy, and the strides that make it
 * so. What they compute is checked by running the networks. */
#include "config.h"

#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/graph.h"
#include "quoted-graph.h"

#include <string.h>

/* x is [1, 8, 4, 6]: tokens, heads, depth. */
static TpGraph *
lay_out (const char *ops, const char *outputs)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': "
      "[1, 8, 4, 6]}, {'name': 'image', 'shape': [1, 3, 5, 5]}], "
      "'initializers': [{'name': 'w', 'shape': [6, 7], 'random': {'seed': 1}}, "
      "{'name': 'k', 'shape': [4, 3, 1, 1], 'random': {'seed': 2}}, "
      "{'name': 'flat', 'dtype': 'int64', 'shape': [1], 'data': [-1]}], "
      "'ops': [%s], 'outputs': [%s]}",
      ops, outputs);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  TpGraph *laid;

  graph = test_load_quoted (text);
  laid = tp_graph_assign_layout (graph, &error);
  g_assert_no_error (error);
  return laid;
}

static void
assert_strides (const TpGraph *graph, const char *name, const char *want)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (strcmp (graph->tensors[i].name, name) == 0)
      {
        const TpTensor *tensor = &graph->tensors[i];
        g_autoptr (GString) got = g_string_new (NULL);

        for (int k = 0; k < tensor->rank; k++)
          g_string_append_printf (got, "%s%" G_GINT64_FORMAT, k ? " " : "",
                                  tensor->strides[k]);
        g_assert_cmpstr (got->str, ==, want);
        return;
      }
  g_assert_not_reached ();
}

static int
count_permutes (const TpGraph *graph)
{
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += strcmp (graph->nodes[i].type, "Permute") == 0;
  return n;
}

#define TRANSPOSE(in, perm, out)                                              \
  "{'type': 'Transpose', 'inputs': ['" in "'], 'outputs': ['" out "'], "      \
  "'attrs': {'perm': [" perm "]}}, "
#define OP(type, in, out)                                                     \
  "{'type': '" type "', 'inputs': [" in "], 'outputs': ['" out "']}"

static void
test_heads (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      TRANSPOSE ("x", "0, 2, 1, 3", "q") TRANSPOSE ("x", "0, 2, 3, 1", "k1")
      OP ("MatMul", "'q', 'k1'", "y"), "'y'");

  g_assert_cmpint (count_permutes (graph), ==, 2);
  assert_strides (graph, "q", "192 6 24 1");
  assert_strides (graph, "k1", "192 6 1 24");
  assert_strides (graph, "y", "256 64 8 1");
}

/* The product stores so that the Reshape finds rows. */
static void
test_product (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      OP ("MatMul", "'x', 'w'", "m") ", " TRANSPOSE ("m", "0, 2, 1, 3", "t")
      OP ("Reshape", "'t', 'flat'", "y"), "'y'");

  g_assert_cmpint (count_permutes (graph), ==, 1);
  assert_strides (graph, "m", "224 7 56 1");
  assert_strides (graph, "t", "224 56 7 1");
}

/* Elementwise ops read along the last dimension, or the copy stays. */
static void
test_map (void)
{
  g_autoptr (TpGraph) outer = lay_out (
      TRANSPOSE ("x", "0, 2, 1, 3", "t") OP ("Relu", "'t'", "y"), "'y'");
  g_autoptr (TpGraph) inner = lay_out (
      TRANSPOSE ("x", "0, 1, 3, 2", "t") OP ("Relu", "'t'", "y"), "'y'");

  g_assert_cmpint (count_permutes (outer), ==, 1);
  g_assert_cmpint (count_permutes (inner), ==, 0);
  assert_strides (inner, "t", "192 24 4 1");
}

/* Bytes that leave, or are viewed, lie in rows. */
static void
test_rigid (void)
{
  g_autoptr (TpGraph) output = lay_out (
      TRANSPOSE ("x", "0, 2, 1, 3", "t") OP ("MatMul", "'t', 'w'", "y"),
      "'y', 't'");
  g_autoptr (TpGraph) view = lay_out (
      TRANSPOSE ("x", "0, 2, 1, 3", "t") OP ("Reshape", "'t', 'flat'", "y"),
      "'y'");
  g_autoptr (TpGraph) shared = lay_out (
      OP ("MatMul", "'x', 'w'", "m") ", " TRANSPOSE ("m", "0, 2, 1, 3", "t")
      OP ("Reshape", "'t', 'flat'", "y") ", " OP ("Relu", "'m'", "z"),
      "'y', 'z'");
  g_autoptr (TpGraph) inner = lay_out (
      OP ("MatMul", "'x', 'w'", "m") ", " TRANSPOSE ("m", "0, 1, 3, 2", "t")
      OP ("Reshape", "'t', 'flat'", "y"), "'y'");

  g_assert_cmpint (count_permutes (output), ==, 0);
  g_assert_cmpint (count_permutes (view), ==, 0);
  g_assert_cmpint (count_permutes (shared), ==, 0);
  g_assert_cmpint (count_permutes (inner), ==, 0);
}

/* Channels-last already is what the Transpose makes: rows for free. */
static void
test_channels_last (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      OP ("Conv", "'image', 'k'", "c") ", " TRANSPOSE ("c", "0, 2, 3, 1", "t")
      OP ("Reshape", "'t', 'flat'", "y"), "'y'");

  g_assert_cmpint (count_permutes (graph), ==, 1);
  assert_strides (graph, "c", "100 1 20 4");
  assert_strides (graph, "t", "100 20 4 1");
}

static void
test_twice (void)
{
  g_autoptr (TpGraph) graph = lay_out (
      TRANSPOSE ("x", "0, 2, 1, 3", "t") OP ("MatMul", "'t', 'w'", "y"),
      "'y'");
  g_autoptr (TpGraph) again = tp_graph_assign_layout (graph, NULL);
  g_autofree char *a = tp_graph_digest (graph);
  g_autofree char *b = tp_graph_digest (again);

  g_assert_cmpstr (a, ==, b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/permute/heads", test_heads);
  g_test_add_func ("/permute/product", test_product);
  g_test_add_func ("/permute/map", test_map);
  g_test_add_func ("/permute/rigid", test_rigid);
  g_test_add_func ("/permute/channels-last", test_channels_last);
  g_test_add_func ("/permute/twice", test_twice);
  return g_test_run ();
}
