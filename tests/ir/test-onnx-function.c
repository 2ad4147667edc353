/* test-onnx-function.c: functions of a model are inlined. */
#include "config.h"

#include "format/graph-load.h"
#include "format/graph-write-onnx.h"
#include "graph/pass.h"
#include "ir/graph-value.h"
#include "ir/graph.h"
#include "tests/ir/onnx-support.h"

#include <glib/gstdio.h>
#include <string.h>

#define DOMAIN "local"

static Msg *
function_new (const char *name, const char *input, const char *output)
{
  Msg *function = msg_new ();

  msg_string (function, 1, name);
  msg_string (function, 4, input);
  msg_string (function, 5, output);
  msg_string (function, 10, DOMAIN);
  return function;
}

static Msg *
call_new (const char *name, const char *in, const char *out)
{
  Msg *node = node_new (name, in, NULL, out);

  msg_string (node, 7, DOMAIN);
  return node;
}

static Msg *
attr_new_float (const char *name, float value)
{
  Msg *attr = attr_new (name, 1);

  msg_float (attr, 2, value);
  return attr;
}

/* The attribute called @name is the argument called @argument. */
static Msg *
attr_new_reference (const char *name, const char *argument)
{
  Msg *attr = attr_new (name, 1);

  msg_string (attr, 21, argument);
  return attr;
}

/* Takes @graph and @functions, which end with NULL. */
static TpGraph *
load_functions (Msg *graph, Msg **functions, GError **error)
{
  g_autoptr (GByteArray) model = model_new (graph);

  for (int i = 0; functions[i] != NULL; i++)
    msg_take (model, 25, functions[i]);
  return load_bytes ("m.onnx", model->data, model->len, error);
}

/* b = Neg (Relu (a)), by way of x, a name that the graph has too. */
static Msg *
bend_new (void)
{
  Msg *function = function_new ("Bend", "a", "b");

  msg_take (function, 7, node_new ("Relu", "a", NULL, "x"));
  msg_take (function, 7, node_new ("Neg", "x", NULL, "b"));
  return function;
}

static void
test_inline (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  static const char *const types[] = { "Relu", "Neg", "Relu", "Neg" };
  Msg *inner = graph_new ();

  msg_take (inner, 1, call_new ("Bend", "x", "m"));
  msg_take (inner, 1, call_new ("Bend", "m", "y"));
  graph = load_functions (inner, (Msg *[]){ bend_new (), NULL }, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 4);
  for (int i = 0; i < 4; i++)
    {
      g_assert_cmpstr (graph->nodes[i].type, ==, types[i]);
      if (i > 0)
        g_assert_cmpint (graph->nodes[i].inputs[0], ==,
                         graph->nodes[i - 1].outputs[0]);
    }
  g_assert_cmpint (graph->nodes[0].inputs[0], ==, graph->inputs[0]);
  g_assert_cmpint (graph->nodes[3].outputs[0], ==, graph->outputs[0]);
  g_assert_cmpstr (graph->nodes[1].place, ==, "functions[0].node[1]");
}

/* ---- attributes -------------------------------------------------------- */

/* LeakyRelu with the slope of the call, by way of a second function. */
static double
load_slope (const float *given, const float *usual)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new (), *call = call_new ("Outer", "x", "y");
  Msg *outer = function_new ("Outer", "a", "b");
  Msg *leaky = function_new ("Leaky", "a", "b");
  Msg *passed = call_new ("Leaky", "a", "b");
  Msg *relu = node_new ("LeakyRelu", "a", NULL, "b");

  if (given != NULL)
    msg_take (call, 5, attr_new_float ("slope", *given));
  if (usual != NULL)
    msg_take (outer, 11, attr_new_float ("slope", *usual));
  msg_take (passed, 5, attr_new_reference ("angle", "slope"));
  msg_take (outer, 7, passed);
  msg_take (relu, 5, attr_new_reference ("alpha", "angle"));
  msg_take (leaky, 7, relu);
  msg_take (inner, 1, call);
  graph = load_functions (inner, (Msg *[]){ outer, leaky, NULL }, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 1);
  return tp_node_get_float (&graph->nodes[0], "alpha", -1.0);
}

static void
test_attributes (void)
{
  static const float given = 0.5f, usual = 0.25f;

  g_assert_cmpfloat (load_slope (&given, NULL), ==, 0.5);
  g_assert_cmpfloat (load_slope (&given, &usual), ==, 0.5);
  g_assert_cmpfloat (load_slope (NULL, &usual), ==, 0.25);
  g_assert_cmpfloat (load_slope (NULL, NULL), ==, -1.0);
}

/* ---- constants ------------------------------------------------------------ */

static Msg *
constant_new (const char *name, Msg *attr)
{
  Msg *node = node_new ("Constant", NULL, NULL, name);

  msg_take (node, 5, attr);
  return node;
}

/* b = a + c + s: c is written in the body, s comes from the call. */
static Msg *
shift_new (void)
{
  Msg *function = function_new ("Shift", "a", "b");

  msg_take (function, 7, constant_new ("c", attr_new_float ("value_float", 2)));
  msg_take (function, 7, constant_new ("s", attr_new_reference ("value_float",
                                                                "by")));
  msg_take (function, 7, node_new ("Add", "a", "c", "x"));
  msg_take (function, 7, node_new ("Add", "x", "s", "b"));
  return function;
}

/* What is the same in every call is there once; what is not, is not. */
static void
test_constants (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new ();
  Msg *first = call_new ("Shift", "x", "m");
  Msg *second = call_new ("Shift", "m", "y");

  msg_take (first, 5, attr_new_float ("by", 3));
  msg_take (second, 5, attr_new_float ("by", 4));
  msg_take (inner, 1, first);
  msg_take (inner, 1, second);
  graph = load_functions (inner, (Msg *[]){ shift_new (), NULL }, &error);
  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 4);
  g_assert_cmpint (graph->nodes[0].inputs[1], ==, graph->nodes[2].inputs[1]);
  for (int i = 0; i < 4; i++)
    {
      static const double values[] = { 2, 3, 2, 4 };
      double value;

      tp_tensor_write_doubles (&graph->tensors[graph->nodes[i].inputs[1]],
                               &value);
      g_assert_cmpfloat (value, ==, values[i]);
    }
}

/* ---- large constants ------------------------------------------------------ */

#define LARGE_COUNT 16384     /* floats: 64 KiB */
#define N_CALLS 500

static Msg *
large_new (const char *name)
{
  const gint64 count = LARGE_COUNT;
  g_autofree float *values = g_new (float, LARGE_COUNT);
  Msg *tensor = tensor_new ("v", 1, 1, &count), *attr = attr_new ("value", 4);

  for (int i = 0; i < LARGE_COUNT; i++)
    values[i] = (float) i;
  msg_bytes (tensor, 9, values, LARGE_COUNT * sizeof (float));
  msg_take (attr, 5, tensor);
  return constant_new (name, attr);
}

/* Constants that a function uses, gives, uses before it comes, or has of one that
 * it calls. */
static Msg *
large_function_new (int kind)
{
  Msg *function = function_new ("Large", "a", kind == 1 ? "b" : "y");

  if (kind != 2)
    msg_take (function, 7, large_new ("b"));
  if (kind != 1)
    msg_take (function, 7, node_new ("Add", "a", "b", "y"));
  if (kind == 2)
    msg_take (function, 7, large_new ("b"));
  return function;
}

static Msg *
outer_function_new (void)
{
  Msg *function = function_new ("Outer", "a", "y");

  msg_take (function, 7, call_new ("Large", "a", "y"));
  return function;
}

static Msg *
large_model_new (int kind)
{
  const gint64 count = LARGE_COUNT;
  Msg *graph = msg_new ();

  msg_string (graph, 2, "g");
  msg_take (graph, 11, value_new ("t0", 1, &count));
  for (int i = 0; i < N_CALLS; i++)
    {
      g_autofree char *in = g_strdup_printf ("t%d", i);
      g_autofree char *made = g_strdup_printf ("c%d", i);
      g_autofree char *out = g_strdup_printf ("t%d", i + 1);

      msg_take (graph, 1, call_new (kind == 3 ? "Outer" : "Large", in,
                                    kind == 1 ? made : out));
      if (kind == 1)
        msg_take (graph, 1, node_new ("Add", in, made, out));
    }
  msg_take (graph, 12, value_new ("t500", 0, NULL));
  return graph;
}

static gint64
count_weights (const TpGraph *graph)
{
  g_autofree gboolean *is_read = g_new0 (gboolean, graph->n_tensors + 1);
  gint64 bytes = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = 0; k < graph->nodes[i].n_inputs; k++)
      if (graph->nodes[i].inputs[k] >= 0)
        is_read[graph->nodes[i].inputs[k]] = TRUE;
  for (int i = 0; i < graph->n_tensors; i++)
    if (is_read[i] && tp_tensor_is_constant (&graph->tensors[i]))
      bytes += graph->tensors[i].size_bytes;
  return bytes;
}

static gint64
write_and_measure (const char *folder, const char *path)
{
  g_autofree char *copy = g_build_filename (folder, "copy.onnx", NULL);
  TpLoadOptions options = { .dims = NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_open (path, &options, &error);
  GStatBuf info;

  g_assert_no_error (error);
  tp_graph_write_onnx (builder, NULL, copy, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_stat (copy, &info), ==, 0);
  g_remove (copy);
  return info.st_size;
}

/* It stays one, however often the function is called: as it is read, planned and
 * written again. */
static void
test_large_constants (void)
{
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (folder, "m.onnx", NULL);

  for (int kind = 0; kind < 4; kind++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) raw = NULL, graph = NULL;
      g_autoptr (Msg) model = model_new (large_model_new (kind));

      msg_take (model, 25, large_function_new (kind));
      if (kind == 3)
        msg_take (model, 25, outer_function_new ());
      g_assert_true (g_file_set_contents (path, (const char *) model->data,
                                          model->len, NULL));
      raw = tp_graph_load (path, NULL, &error);
      g_assert_no_error (error);
      graph = tp_graph_prepare (raw, &error);
      g_assert_no_error (error);
      g_assert_cmpint (graph->n_nodes, ==, N_CALLS);
      g_assert_cmpint (count_weights (graph), ==,
                       LARGE_COUNT * sizeof (float));
      g_assert_cmpint (write_and_measure (folder, path), <=,
                       2 * (gint64) model->len + N_CALLS * 100);
    }
  g_remove (path);
  g_rmdir (folder);
}

/* A function that gives a constant gives each call its own. */
static void
test_constant_output (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new (), *function = function_new ("Two", "a", "b");

  msg_take (function, 7, constant_new ("b", attr_new_float ("value_float", 2)));
  msg_take (inner, 1, call_new ("Two", "x", "m"));
  msg_take (inner, 1, call_new ("Two", "x", "n"));
  msg_take (inner, 1, node_new ("Add", "m", "n", "y"));
  graph = load_functions (inner, (Msg *[]){ function, NULL }, &error);
  g_assert_no_error (error);
}

/* ---- bad ones ---------------------------------------------------------- */

static void
assert_refused (Msg **functions, const char *call, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new ();

  msg_take (inner, 1, call_new (call, "x", "y"));
  graph = load_functions (inner, functions, &error);
  g_assert_null (graph);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("got \"%s\", expected \"%s\"", error->message, pattern);
}

static void
test_cycle (void)
{
  Msg *a = function_new ("A", "x", "y"), *b = function_new ("B", "x", "y");

  msg_take (a, 7, call_new ("B", "x", "y"));
  msg_take (b, 7, call_new ("A", "x", "y"));
  assert_refused ((Msg *[]){ a, b, NULL }, "A",
                  "m.onnx: *functions?1?.node?0?*'A' calls itself*");
}

/* F0 calls F1 twice, and so on; the last does nothing. */
static void
test_nested (void)
{
  for (int n = 17; n <= 40; n += 23)
    {
      Msg *functions[41] = { NULL };

      for (int i = 0; i < n; i++)
        {
          g_autofree char *name = g_strdup_printf ("F%d", i);
          g_autofree char *next = g_strdup_printf ("F%d", i + 1);

          functions[i] = function_new (name, "x", "y");
          for (int k = 0; k < 2 && i + 1 < n; k++)
            msg_take (functions[i], 7, call_new (next, "x", k ? "y" : "z"));
        }
      assert_refused (functions, "F0",
                      n == 17 ? "*called more than 100000 times*"
                              : "*nested deeper than 32*");
    }
}

static void
test_bad (void)
{
  Msg *two = bend_new (), *other = bend_new (), *opset = msg_new ();
  Msg *wide = function_new ("Wide", "a", "b");

  assert_refused ((Msg *[]){ bend_new (), bend_new (), NULL }, "Bend",
                  "*functions?1?*a second function 'Bend'*");
  assert_refused ((Msg *[]){ two, NULL }, "Bent", "*'local.Bent'*");
  msg_int (opset, 2, 12);
  msg_take (other, 9, opset);
  assert_refused ((Msg *[]){ other, NULL }, "Bend",
                  "*'Bend' is for opset 12, the model for 13*");
  msg_take (wide, 7, node_new ("Add", "a", "nothing", "b"));
  assert_refused ((Msg *[]){ wide, NULL }, "Wide", "*Wide#0:nothing*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-function/inline", test_inline);
  g_test_add_func ("/onnx-function/attributes", test_attributes);
  g_test_add_func ("/onnx-function/constants", test_constants);
  g_test_add_func ("/onnx-function/constant-output", test_constant_output);
  g_test_add_func ("/onnx-function/large-constants", test_large_constants);
  g_test_add_func ("/onnx-function/cycle", test_cycle);
  g_test_add_func ("/onnx-function/nested", test_nested);
  g_test_add_func ("/onnx-function/bad", test_bad);
  return g_test_run ();
}
