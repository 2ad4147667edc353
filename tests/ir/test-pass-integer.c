/* test-pass-integer.c: products of small integers are made in float32 up to where they
 * are exact there, and no further; what they give stays. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/pass.h"
#include "ir/op.h"
#include "ops/reference.h"

#include <string.h>

/* x [2, k] is uint8, w [k, 1] of 127, z a zero point. */
static TpGraph *
load (int k, const char *zero, const char *ops)
{
  g_autoptr (GString) weights = g_string_new ("127");
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  TpGraph *graph;

  for (int i = 1; i < k; i++)
    g_string_append (weights, ", 127");
  text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'dtype': 'uint8', 'shape': [2, %d]}%s], 'initializers': [{'name': 'w', "
      "'dtype': 'int8', 'shape': [%d, 1], 'data': [%s]}%s], 'ops': [%s], "
      "'outputs': ['y']}", k,
      zero == NULL ? ", {'name': 'z', 'dtype': 'uint8', 'shape': []}" : "", k,
      weights->str, zero == NULL ? "" : zero, ops);
  g_strdelimit (text, "'", '"');
  graph = tp_graph_load_json ("g.json", text, strlen (text), NULL, &error);
  g_assert_no_error (error);
  return graph;
}

#define ZERO(value)                                                           \
  ", {'name': 'z', 'dtype': 'uint8', 'shape': [], 'data': [" value "]}"
#define PRODUCT(out)                                                          \
  "{'type': 'MatMulInteger', 'inputs': ['x', 'w', 'z'], 'outputs': ['" out    \
  "']}"

static gboolean
has (const TpGraph *graph, const char *type, TpDtype dtype)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (strcmp (graph->nodes[i].type, type) == 0
        && graph->tensors[graph->nodes[i].outputs[0]].dtype == dtype)
      return TRUE;
  return FALSE;
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

      g_assert_true (has (simple, "MatMulInteger", TPLAN_DTYPE_FLOAT32)
                     == (k == most));
      g_assert_true (has (simple, "MatMulInteger", TPLAN_DTYPE_INT32)
                     == (k > most));
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

/* A Cast of the sums to float32 has nothing to do; who wants integers gets them. */
static void
test_cast (void)
{
  g_autoptr (TpGraph) graph = load (
      9, NULL, PRODUCT ("i") ", {'type': 'Cast', 'inputs': ['i'], 'outputs': "
      "['f'], 'attrs': {'to': 1}}, {'type': 'Tanh', 'inputs': ['f'], "
      "'outputs': ['y']}");
  g_autoptr (TpGraph) simple = simplify (graph);

  g_assert_cmpint (simple->n_nodes, ==, 2);
  g_assert_true (has (simple, "MatMulInteger", TPLAN_DTYPE_FLOAT32));
  g_assert_true (has (simple, "Tanh", TPLAN_DTYPE_FLOAT32));
}

/* What reads one constant reads one made of it; with another zero point it is left. */
static void
test_shared (void)
{
  g_autoptr (TpGraph) graph = load (
      9, ZERO ("7") ", {'name': 'q', 'dtype': 'int8', 'shape': [], 'data': [5]}",
      PRODUCT ("a") ", " PRODUCT ("b")
      ", {'type': 'MatMulInteger', 'inputs': ['x', 'w', 'z', 'q'], 'outputs': "
      "['c']}, {'type': 'Sum', 'inputs': ['a', 'b', 'c'], 'outputs': ['y']}");
  g_autoptr (TpGraph) simple = simplify (graph);
  int weights = -1, n = 0;

  for (int i = 0; i < simple->n_nodes; i++)
    if (strcmp (simple->nodes[i].type, "MatMulInteger") == 0
        && simple->nodes[i].n_inputs == 3)
      {
        g_assert_true (n++ == 0 || weights == simple->nodes[i].inputs[1]);
        weights = simple->nodes[i].inputs[1];
      }
  g_assert_cmpint (n, ==, 2);
  g_assert_true (has (simple, "MatMulInteger", TPLAN_DTYPE_INT32));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pass-integer/limit", test_limit);
  g_test_add_func ("/pass-integer/cast", test_cast);
  g_test_add_func ("/pass-integer/shared", test_shared);
  return g_test_run ();
}
