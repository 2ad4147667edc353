/* test-bind.c: inputs given a value while the graph is loaded. */
#include "config.h"

#include "format/graph-load.h"
#include "format/load-options.h"
#include "graph/graph-bind.h"
#include "ir/graph-value.h"
#include "ir/graph.h"

#include <string.h>

/* "N" is said by the value bound to "s" or by --dim, "K" by the former. */
static const char text[]
    = "{\"format\": \"tplan-graph/1\", \"inputs\": ["
      " {\"name\": \"x\", \"shape\": [\"N\", 12]},"
      " {\"name\": \"s\", \"shape\": [\"K\"], \"dtype\": \"int64\"},"
      " {\"name\": \"z\", \"shape\": [\"N\"]}],"
      " \"ops\": [{\"type\": \"Reshape\", \"inputs\": [\"x\", \"s\"],"
      "  \"outputs\": [\"y\"]},"
      " {\"type\": \"Relu\", \"inputs\": [\"z\"], \"outputs\": [\"r\"]}],"
      " \"outputs\": [\"y\", \"r\"]}";
static const gint64 shape[] = { 4, 3, 2 };
static const float floats[] = { -1, 2 };

static TpGraph *
load (const char *name, const TpInputValue *value, GError **error)
{
  g_autoptr (TpDims) dims = tp_dims_new ();
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  const TpLoadOptions options = { .dims = dims, .values = values };

  tp_dims_set (dims, "N", 2);
  if (name != NULL)
    g_hash_table_insert (values, (char *) name, (gpointer) value);
  return tp_graph_read_json ("g.json", text, strlen (text), &options, error);
}

static void
test_shape (void)
{
  const TpInputValue value = { TPLAN_DTYPE_INT64, 1, { 3 }, shape };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load ("s", &value, &error);
  const TpTensor *y;

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_inputs, ==, 2);
  g_assert_cmpstr (graph->tensors[graph->inputs[0]].name, ==, "x");
  g_assert_cmpstr (graph->tensors[graph->inputs[1]].name, ==, "z");
  y = &graph->tensors[graph->outputs[0]];
  g_assert_cmpint (y->rank, ==, 3);
  g_assert_cmpmem (y->dims, sizeof shape, shape, sizeof shape);
}

/* What is computed from bound inputs alone is folded. */
static void
test_fold (void)
{
  static const char relu[]
      = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"z\","
        " \"shape\": [\"N\"]}], \"ops\": [{\"type\": \"Relu\", \"inputs\":"
        " [\"z\"], \"outputs\": [\"r\"]}], \"outputs\": [\"r\"]}";
  TpInputValue value = { TPLAN_DTYPE_FLOAT32, 1, { 2 }, floats };
  g_autoptr (GHashTable) values = g_hash_table_new (g_str_hash, g_str_equal);
  const TpLoadOptions options = { .values = values };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, empty = NULL;
  float r[2];

  g_hash_table_insert (values, (char *) "z", &value);
  graph = tp_graph_read_json ("g.json", relu, strlen (relu), &options, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 0);
  tp_tensor_write_value (&graph->tensors[graph->outputs[0]], r);
  g_assert_cmpfloat (r[0], ==, 0);
  g_assert_cmpfloat (r[1], ==, 2);
  value.dims[0] = 0;
  empty = tp_graph_read_json ("g.json", relu, strlen (relu), &options, &error);
  g_assert_no_error (error);
  g_assert_cmpint (empty->tensors[empty->outputs[0]].count, ==, 0);
}

static void
assert_fails (const char *name, const TpInputValue *value, int code,
              const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (load (name, value, &error));
  g_assert_error (error, TPLAN_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_bad (void)
{
  const TpInputValue ints = { TPLAN_DTYPE_INT64, 1, { 3 }, shape };
  const TpInputValue real = { TPLAN_DTYPE_FLOAT32, 1, { 2 }, floats };
  const TpInputValue square = { TPLAN_DTYPE_INT64, 2, { 1, 3 }, shape };
  const TpInputValue one = { TPLAN_DTYPE_FLOAT32, 1, { 1 }, floats };

  assert_fails (NULL, NULL, TPLAN_ERROR_INPUT,
                "g.json: inputs[1].shape[0]: dimension 'K' has no value: give "
                "it one, as with --dim K=8");
  assert_fails ("q", &ints, TPLAN_ERROR_USAGE,
                "g.json: the graph has no input 'q' to bind: leave it out");
  assert_fails ("s", &real, TPLAN_ERROR_INPUT,
                "g.json: inputs[1]: input 's' is of int64, the value bound to "
                "it of float32");
  assert_fails ("s", &square, TPLAN_ERROR_INPUT,
                "g.json: inputs[1]: input 's' has 1 dimensions, the value "
                "bound to it 2");
  assert_fails ("z", &one, TPLAN_ERROR_INPUT,
                "g.json: inputs[2]: dimension 0 is 2, that of the value bound "
                "to it 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bind/shape", test_shape);
  g_test_add_func ("/bind/fold", test_fold);
  g_test_add_func ("/bind/bad", test_bad);
  return g_test_run ();
}
