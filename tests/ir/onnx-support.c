/* onnx-support.c: loading what onnx-bytes.h writes. */
#include "config.h"

#include "tests/ir/onnx-support.h"

#include "format/graph-load.h"

/* A copy of its own length, so that a reader past the end is caught. */
TpGraph *
load_bytes (const char *path, const void *data, gsize size, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);

  return tp_graph_load_onnx (path, bytes, NULL, error);
}

/* Takes @graph. */
TpGraph *
load (Msg *graph, GError **error)
{
  g_autoptr (GByteArray) model = model_new (graph);

  return load_bytes ("m.onnx", model->data, model->len, error);
}

TpGraph *
load_well (Msg *graph)
{
  g_autoptr (GError) error = NULL;
  TpGraph *loaded = load (graph, &error);

  g_assert_no_error (error);
  return loaded;
}

void
assert_fails (Msg *graph, int code, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) loaded = load (graph, &error);

  g_assert_null (loaded);
  g_assert_error (error, TPLAN_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("'%s' is not like '%s'", error->message, pattern);
}

/* y = relu (x w + b), w as raw_data, b as float_data. */
Msg *
linear_new (void)
{
  static const gint64 w_dims[] = { 3, 2 }, b_dims[] = { 2 };
  static const float w[] = { 1, 2, 3, 4, 5, 6 };
  Msg *graph = graph_new (), *tensor;

  tensor = tensor_new ("w", 1, 2, w_dims);
  msg_bytes (tensor, 9, w, sizeof w);
  msg_take (graph, 5, tensor);
  tensor = tensor_new ("b", 1, 1, b_dims);
  msg_float (tensor, 4, 0.5f);
  msg_float (tensor, 4, -0.5f);
  msg_take (graph, 5, tensor);
  msg_take (graph, 1, node_new ("MatMul", "x", "w", "h"));
  msg_take (graph, 1, node_new ("Add", "h", "b", "z"));
  msg_take (graph, 1, node_new ("Relu", "z", NULL, "y"));
  return graph;
}

