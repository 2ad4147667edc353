/* test-onnx-bad.c: damaged and hostile ONNX files: errors, never crashes. */
#include "config.h"

#include "tests/ir/onnx-support.h"

static void
test_ops (void)
{
  Msg *graph = graph_new (), *node, *attr;

  msg_take (graph, 1, node_new ("Warp", "x", NULL, "y"));
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "m.onnx: graph.node?0?: *'Warp'*");
  graph = graph_new ();
  node = node_new ("Relu", "x", NULL, "y");
  msg_string (node, 7, "com.example");
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "m.onnx: graph.node?0?: *'com.example.Relu'*");
  graph = graph_new ();
  node = node_new ("Relu", "x", NULL, "y");
  attr = attr_new ("slope", 2);
  msg_take (node, 5, attr);
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT,
                "m.onnx: graph.node?0?: Relu has no attribute 'slope'*");
  graph = graph_new ();
  msg_take (graph, 1, node_new ("Add", "x", NULL, "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT,
                "m.onnx: graph.node?0?: Add has 1 inputs*");
  graph = graph_new ();
  msg_take (graph, 1, node_new ("Relu", "q", NULL, "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "m.onnx: graph.node?0?*'q'*");
  graph = graph_new ();
  msg_take (graph, 1, node_new ("Add", "x", "y", "z"));
  msg_take (graph, 1, node_new ("Relu", "z", NULL, "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "m.onnx: *cycle of 2*");
  graph = graph_new ();
  msg_take (graph, 1, node_new ("Relu", "x", NULL, "x"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "m.onnx: graph.node?0?: *already*");
  graph = graph_new ();
  msg_take (graph, 1, msg_new ());
  assert_fails (graph, TPLAN_ERROR_INPUT, "m.onnx: graph.node?0?: an op without a type*");
}

static void
test_attrs (void)
{
  Msg *graph = graph_new (), *node = node_new ("Relu", "x", NULL, "y");

  msg_take (node, 5, attr_new ("a", 5));
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "m.onnx: graph.node?0?.attribute?0?: *type 5*");
  graph = graph_new ();
  node = node_new ("Constant", NULL, NULL, "y");
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT, "m.onnx: graph.node?0?: *exactly*");
}

/* A small file that announces a large tensor. */
static void
test_sizes (void)
{
  static const gint64 huge[] = { 2500000000 };
  static const gint64 beyond[] = { G_MAXINT64, 16 };
  static const gint64 negative[] = { -2 };
  static const gint64 nine[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  Msg *graph = linear_new (), *tensor = tensor_new ("t", 1, 1, huge);

  msg_bytes (tensor, 9, "\0\0\0\0", 4);
  msg_take (graph, 5, tensor);
  assert_fails (graph, TPLAN_ERROR_INPUT,
                "*graph.initializer?2?*'t'*10000000000 bytes*has 4");
  graph = linear_new ();
  msg_take (graph, 5, tensor_new ("t", 1, 1, huge));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*2500000000 elements, the file 0");
  graph = linear_new ();
  msg_take (graph, 5, tensor_new ("t", 1, 2, beyond));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*overflows*");
  graph = linear_new ();
  msg_take (graph, 5, tensor_new ("t", 1, 1, negative));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*negative*");
  graph = linear_new ();
  msg_take (graph, 5, tensor_new ("t", 1, 9, nine));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*more than 8 dim*");
  graph = msg_new ();
  msg_take (graph, 11, value_new ("x", 2, beyond));
  msg_take (graph, 12, value_new ("x", 2, beyond));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*graph.input?0?: *overflows*");
}

static void
test_frames (void)
{
  g_autoptr (GByteArray) no_opset = msg_new ();
  g_autoptr (GError) error = NULL;
  Msg *graph;

  msg_take (no_opset, 7, linear_new ());
  g_assert_null (load_bytes ("m.onnx", no_opset->data, no_opset->len, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "opset_import"));
  graph = linear_new ();
  msg_take (graph, 15, msg_new ());
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED, "*sparse*");
  graph = linear_new ();
  msg_bytes (graph, 12, "\x0a\x03" "a\0b", 5);
  assert_fails (graph, TPLAN_ERROR_INPUT, "*graph.output?1?*NUL*");
  graph = linear_new ();
  msg_int (graph, 1, 5);
  assert_fails (graph, TPLAN_ERROR_INPUT, "*wire type 0, must have 2*");
}

/* Graphs in attributes, very deep: nobody descends far. */
static void
test_nested (void)
{
  Msg *inner = msg_new (), *graph;

  for (int i = 0; i < 3000; i++)
    {
      Msg *node = node_new ("If", "x", NULL, "y"), *attr, *outer = msg_new ();

      attr = attr_new ("then_branch", 5);
      msg_take (attr, 6, inner);
      msg_take (node, 5, attr);
      attr = attr_new ("else_branch", 5);
      msg_take (attr, 6, msg_new ());
      msg_take (node, 5, attr);
      msg_take (outer, 1, node);
      inner = outer;
    }
  graph = graph_new ();
  g_byte_array_append (graph, inner->data, inner->len);
  g_byte_array_unref (inner);
  assert_fails (graph, TPLAN_ERROR_INPUT,
                "*graph.node?0?.*.g.node?0?): If is nested deeper than 16");
}

/* Every proper prefix is refused with the byte where it ends too early. */
static void
test_truncated (void)
{
  g_autoptr (GByteArray) model = model_new (linear_new ());

  for (guint n = 0; n < model->len; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph
          = load_bytes ("m.onnx", model->data, n, &error);

      g_assert_null (graph);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_assert_true (g_str_has_prefix (error->message, "m.onnx: byte "));
    }
}

static void
test_mutated (void)
{
  g_autoptr (GByteArray) model = model_new (linear_new ());

  for (int i = 0; i < 20000; i++)
    {
      g_autofree guint8 *copy = g_memdup2 (model->data, model->len);
      g_autoptr (TpGraph) graph = NULL;

      for (int j = g_test_rand_int_range (1, 5); j > 0; j--)
        copy[g_test_rand_int_range (0, model->len)]
            = g_test_rand_int_range (0, 256);
      graph = load_bytes ("m.onnx", copy, model->len, NULL);
    }
}

static void
test_random (void)
{
  guint8 bytes[64];

  for (int i = 0; i < 20000; i++)
    {
      gsize n = g_test_rand_int_range (0, sizeof bytes);
      g_autoptr (GError) error = NULL;

      for (gsize j = 0; j < n; j++)
        bytes[j] = g_test_rand_int_range (0, 256);
      g_assert_null (load_bytes ("m.onnx", bytes, n, &error));
      g_assert_nonnull (error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-bad/ops", test_ops);
  g_test_add_func ("/onnx-bad/attrs", test_attrs);
  g_test_add_func ("/onnx-bad/sizes", test_sizes);
  g_test_add_func ("/onnx-bad/frames", test_frames);
  g_test_add_func ("/onnx-bad/nested", test_nested);
  g_test_add_func ("/onnx-bad/truncated", test_truncated);
  g_test_add_func ("/onnx-bad/mutated", test_mutated);
  g_test_add_func ("/onnx-bad/random", test_random);
  return g_test_run ();
}
