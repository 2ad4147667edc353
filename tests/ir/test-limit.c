/* test-limit.c: what a small file may ask for, in memory and in time. */
#include "config.h"

#include "format/graph-load.h"
#include "format/load-options.h"
#include "graph/pass.h"
#include "ir/graph.h"

#include <string.h>

#define ROOT "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', " \
  "'shape': [1, 2, 3]}], "

static TpGraph *
read_text (const char *text, const TpLimits *limits, GError **error)
{
  g_autofree char *json = g_strdelimit (g_strdup (text), "'", '"');
  TpLoadOptions options = { .limits = limits };

  return tp_graph_read_json ("g.json", json, strlen (json), &options, error);
}

/* @text is good by default, and too much with @name at @value. */
static void
assert_limit (const char *text, const char *name, gint64 value,
              const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, limited = NULL;
  TpLimits limits;

  graph = read_text (text, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (graph);
  tp_limits_init (&limits);
  g_assert_true (tp_limits_set (&limits, name, value, &error));
  limited = read_text (text, &limits, &error);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_each (void)
{
  const char *two = ROOT
      "'outputs': ['b'], 'ops': ["
      "{'type': 'Relu', 'inputs': ['x'], 'outputs': ['a']}, "
      "{'type': 'Relu', 'inputs': ['a'], 'outputs': ['b']}]}";
  const char *filled = ROOT
      "'outputs': ['b'], 'initializers': [{'name': 'v', 'shape': [3], 'fill': "
      "1}, {'name': 'weights', 'shape': [100, 2, 3], 'fill': 1}], 'ops': ["
      "{'type': 'Add', 'inputs': ['x', 'weights'], 'outputs': ['b']}]}";
  const char *wide = ROOT
      "'outputs': ['b'], 'initializers': [{'name': 'a', 'dtype': 'int64', "
      "'shape': [1], 'data': [0]}], 'ops': [{'type': 'Unsqueeze', 'inputs': "
      "['x', 'a'], 'outputs': ['b']}]}";

  assert_limit (two, "nodes", 1, "g.json: ops[1]: more than 1 ops: if you trust "
                "the file, raise --limit nodes");
  assert_limit (two, "rank", 2, "g.json: inputs[0]: rank 3, more than 2: if you "
                "trust the file, raise --limit rank");
  assert_limit (wide, "rank", 3, "g.json: ops[0]: op 'Unsqueeze_0' (Unsqueeze): "
                "output 0 has rank 4: if you trust the file, raise --limit "
                "rank");
  assert_limit (filled, "name", 6, "g.json: initializers[1]: a name has 7 bytes, "
                "more than 6: if you trust the file, raise --limit name");
  assert_limit (filled, "generated", 2411, "g.json: initializers[1]: constant "
                "'weights' brings what fill and random make to more than 2411 "
                "bytes: if you trust the file, raise --limit generated");
}

static void
test_memory (void)
{
  g_autoptr (GString) text = g_string_new (ROOT "'outputs': ['x'], 'ops': [], "
                                           "'initializers': [{'name': 'w', "
                                           "'shape': [2000], 'data': [0");
  TpLimits limits;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;

  for (int i = 1; i < 2000; i++)
    g_string_append (text, ",0");
  g_string_append (text, "]}]}");
  tp_limits_init (&limits);
  g_assert_true (tp_limits_set (&limits, "memory", 9000, NULL));
  graph = read_text (text->str, &limits, &error);
  g_assert_no_error (error);
  g_assert_true (tp_limits_set (&limits, "memory", 8000, NULL));
  g_assert_null (read_text (text->str, &limits, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "--limit memory"));
}

static void
test_names (void)
{
  TpLimits limits;
  g_autoptr (GError) error = NULL;

  tp_limits_init (&limits);
  g_assert_false (tp_limits_set (&limits, "node", 1, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_assert_cmpstr (error->message, ==,
                   "no limit 'node' (did you mean 'nodes'?): there are nodes, "
                   "rank, name, memory, generated, fold");
  g_clear_error (&error);
  g_assert_false (tp_limits_set (&limits, "rank", 9, &error));
  g_assert_cmpstr (error->message, ==, "limit 'rank' is 9, must be 1 to 8");
  g_assert_cmpint (tp_limits_get_memory (&limits, 1000), ==,
                   8000 + (64 << 20));
  g_assert_cmpint (tp_limits_get_memory (&limits, G_MAXINT64 / 2), ==,
                   G_MAXINT64);
}

/* ---- bounded work -------------------------------------------------------- */

/* A terabyte of zeros is refused; half a kilobyte asks for it. */
static void
test_fill (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (read_text (ROOT "'outputs': ['w'], 'ops': [], 'initializers': "
                            "[{'name': 'w', 'shape': [1099511627776], "
                            "'fill': 0}]}", NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

/* A window of 12 million elements over 250,000 places is left to a device. */
static void
test_fold_window (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_text (
      ROOT "'outputs': ['p', 'y'], 'initializers': [{'name': 'w', 'shape': "
      "[1, 1, 2048, 2048], 'fill': 0}], 'ops': [{'type': 'MaxPool', 'inputs': "
      "['w'], 'outputs': ['p'], 'attrs': {'kernel_shape': [1800, 1800]}}, "
      "{'type': 'Relu', 'inputs': ['x'], 'outputs': ['y']}]}", NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 2);
}

/* Each of 100 ops could be folded to 1 MiB; together they are too much. */
static void
test_fold_bytes (void)
{
  g_autoptr (GString) text = g_string_new (
      ROOT "'initializers': [{'name': 'w0', 'shape': [262144], 'fill': 1}], "
      "'outputs': ['w100'], 'ops': [");
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;

  for (int i = 0; i < 100; i++)
    g_string_append_printf (text, "%s{'type': 'Abs', 'inputs': ['w%d'], "
                            "'outputs': ['w%d']}", i > 0 ? ", " : "", i,
                            i + 1);
  g_string_append (text, "]}");
  graph = read_text (text->str, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 100 - 32);
}

/* ---- passes -------------------------------------------------------------- */

/* 300 BatchNormalizations share constants of a million channels, a line of
 * JSON: rewriting them all would take 10 GB. */
static void
test_norms (void)
{
  g_autoptr (GString) text = g_string_new (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'y0', 'shape': "
      "[1, 1000000]}], 'initializers': [{'name': 'c', 'shape': [1000000], "
      "'fill': 1}], 'outputs': ['y300'], 'ops': [");
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, ready = NULL;
  int n_split = 0;

  for (int i = 0; i < 300; i++)
    g_string_append_printf (text, "%s{'type': 'BatchNormalization', 'inputs': "
                            "['y%d', 'c', 'c', 'c', 'c'], 'outputs': ['y%d']}",
                            i > 0 ? ", " : "", i, i + 1);
  g_string_append (text, "]}");
  graph = read_text (text->str, NULL, &error);
  g_assert_no_error (error);
  ready = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  for (int i = 0; i < ready->n_nodes; i++)
    n_split += strcmp (ready->nodes[i].type, "ScaleShift") == 0;
  g_assert_cmpint (n_split, ==, 4);
}

/* 5000 Convs with one filter, each with a BatchNormalization to fold: each needs
 * a new name for the same filter. */
static void
test_names_made (void)
{
  g_autoptr (GString) text = g_string_new (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'y0', 'shape': "
      "[1, 1, 1, 1]}], 'initializers': [{'name': 'c', 'shape': [1], 'fill': 1}, "
      "{'name': 'w', 'shape': [1, 1, 1, 1], 'fill': 1}], 'outputs': ['y5000'], "
      "'ops': [");
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, ready = NULL;

  for (int i = 0; i < 5000; i++)
    g_string_append_printf (
        text, "%s{'type': 'Conv', 'inputs': ['y%d', 'w'], 'outputs': ['c%d']}, "
        "{'type': 'BatchNormalization', 'inputs': ['c%d', 'c', 'c', 'c', 'c'], "
        "'outputs': ['y%d']}", i > 0 ? ", " : "", i, i, i, i + 1);
  g_string_append (text, "]}");
  graph = read_text (text->str, NULL, &error);
  g_assert_no_error (error);
  ready = tp_graph_prepare (graph, &error);
  g_assert_no_error (error);
  for (int i = 0; i < ready->n_tensors; i++)
    g_assert_cmpint (strlen (ready->tensors[i].name), <, 20);
}

/* Not a limit that can be raised: operands are compared with each other. */
static void
test_inputs (void)
{
  for (int n = 4096; n <= 4097; n++)
    {
      g_autoptr (GString) text = g_string_new (
          ROOT "'outputs': ['y'], 'ops': [{'type': 'Sum', 'outputs': ['y'], "
               "'inputs': ['x'");
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = NULL;

      for (int i = 1; i < n; i++)
        g_string_append (text, ", 'x'");
      g_string_append (text, "]}]}");
      graph = read_text (text->str, NULL, &error);
      if (n == 4096)
        g_assert_no_error (error);
      else
        g_assert_cmpstr (error->message, ==,
                         "g.json: ops[0]: Sum has 4097 inputs, takes at most "
                         "4096");
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limit/each", test_each);
  g_test_add_func ("/limit/inputs", test_inputs);
  g_test_add_func ("/limit/memory", test_memory);
  g_test_add_func ("/limit/names", test_names);
  g_test_add_func ("/limit/fill", test_fill);
  g_test_add_func ("/limit/fold-window", test_fold_window);
  g_test_add_func ("/limit/fold-bytes", test_fold_bytes);
  g_test_add_func ("/limit/norms", test_norms);
  g_test_add_func ("/limit/names-made", test_names_made);
  return g_test_run ();
}
