/* test-pass-integer.c: products of small integers are marked up to where float32 holds their
 * sums, and no further; what they give stays. */
#include "config.h"

#include "graph/pass.h"
#include "ir/op.h"
#include "ops/reference.h"
#include "quoted-graph.h"

#include <string.h>

/* x [2, k] is uint8, w [k, 1] of 127, z a zero point. */
static TpGraph *
load (int k, const char *zero, const char *ops)
{
  g_autoptr (GString) weights = g_string_new ("127");
  g_autofree char *text = NULL;

  for (int i = 1; i < k; i++)
    g_string_append (weights, ", 127");
  text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'dtype': 'uint8', 'shape': [2, %d]}%s], 'initializers': [{'name': 'w', "
      "'dtype': 'int8', 'shape': [%d, 1], 'data': [%s]}%s], 'ops': [%s], "
      "'outputs': ['y']}", k,
      zero == NULL ? ", {'name': 'z', 'dtype': 'uint8', 'shape': []}" : "", k,
      weights->str, zero == NULL ? "" : zero, ops);
  return test_load_quoted (text);
}

#define ZERO(value)                                                           \
  ", {'name': 'z', 'dtype': 'uint8', 'shape': [], 'data': [" value "]}"
#define PRODUCT(out)                                                          \
  "{'type': 'MatMulInteger', 'inputs': ['x', 'w', 'z'], 'outputs': ['" out    \
  "']}"

static int
count_small (const TpGraph *graph)
{
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += graph->nodes[i].has_small_sums;
  return n;
}

/* The greatest and the least there are. */
static void
assert_same (const TpGraph *a, const TpGraph *b)
{
  gint64 n = a->tensors[a->inputs[0]].count;
  g_autofree double *x = g_new (double, n);
  double zero = 255.0;
  const double *inputs[] = { x, &zero };
  g_autoptr (GPtrArray) from_a = NULL, from_b = NULL;

  for (gint64 i = 0; i < n; i++)
    x[i] = i < n / 2 ? 255.0 : 0.0;
  from_a = tp_graph_run_reference (a, inputs, FALSE, NULL);
  from_b = tp_graph_run_reference (b, inputs, FALSE, NULL);
  for (gint64 i = 0; i < a->tensors[a->outputs[0]].count; i++)
    g_assert_cmpfloat (((double *) from_a->pdata[0])[i], ==,
                       ((double *) from_b->pdata[0])[i]);
}

static TpGraph *
simplify (const TpGraph *graph)
{
  TpGraph *simple = tp_graph_simplify (graph, NULL);

  g_assert_nonnull (simple);
  assert_same (graph, simple);
  return simple;
}

/* Weights of 127 times up to @reach: 2^24 is reached at this k. */
static void
check_limit (const char *zero, int reach)
{
  int most = (1 << 24) / (127 * reach);

  for (int k = most; k <= most + 1; k++)
    {
      g_autoptr (TpGraph) graph = load (k, zero, PRODUCT ("y"));
      g_autoptr (TpGraph) simple = simplify (graph);

      g_assert_cmpint (count_small (graph), ==, 0);
      g_assert_cmpint (count_small (simple), ==, k == most);
    }
}

static void
test_limit (void)
{
  check_limit (ZERO ("0"), 255);
  check_limit (ZERO ("128"), 128);
  check_limit (ZERO ("100"), 155);
  check_limit (NULL, 255);
}

/* Each by its zero points: 127 - 126 is little, and 127 + 128 is most. */
static void
test_zeros (void)
{
  const int k = (1 << 24) / (127 * 128);
  g_autoptr (TpGraph) graph = load (
      k, ZERO ("128") ", {'name': 'p', 'dtype': 'int8', 'shape': [], 'data': "
      "[126]}, {'name': 'q', 'dtype': 'int8', 'shape': [], 'data': [-128]}",
      PRODUCT ("a") ", {'type': 'MatMulInteger', 'inputs': ['x', 'w', 'z', 'p'], "
      "'outputs': ['b']}, {'type': 'MatMulInteger', 'inputs': ['x', 'w', 'z', "
      "'q'], 'outputs': ['c']}, {'type': 'Sum', 'inputs': ['a', 'b', 'c'], "
      "'outputs': ['y']}");
  g_autoptr (TpGraph) simple = simplify (graph);

  g_assert_cmpint (count_small (simple), ==, 2);
}

/* Weights that nobody knows are of no bound, and left out the pass marks none. */
static void
test_unknown (void)
{
  const char *const left_out[] = { "integer", NULL };
  const TpPassOptions options = { .left_out = left_out };
  g_autoptr (TpGraph) graph
      = load (2, NULL,
              "{'type': 'MatMulInteger', 'inputs': ['x', 'x'], 'outputs': "
              "['y']}");
  g_autoptr (TpGraph) known = load (9, NULL, PRODUCT ("y"));
  g_autoptr (TpGraph) simple = simplify (graph), plain = NULL;

  plain = tp_graph_prepare_with (known, &options, NULL);
  g_assert_cmpint (count_small (simple), ==, 0);
  g_assert_cmpint (count_small (plain), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pass-integer/limit", test_limit);
  g_test_add_func ("/pass-integer/zeros", test_zeros);
  g_test_add_func ("/pass-integer/unknown", test_unknown);
  return g_test_run ();
}
