/* test-onnx.c: the ONNX reader, on bytes written by onnx-bytes.h. */
#include "config.h"

#include "format/graph-load.h"
#include "ir/graph-value.h"
#include "ir/graph.h"
#include "tests/ir/onnx-support.h"

#include <glib/gstdio.h>
#include <unistd.h>

static const TpTensor *
find_tensor (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (strcmp (graph->tensors[i].name, name) == 0)
      return &graph->tensors[i];
  g_error ("no tensor '%s'", name);
}

static void
test_linear (void)
{
  g_autoptr (TpGraph) graph = load_well (linear_new ());
  const TpTensor *y = &graph->tensors[graph->outputs[0]];
  float w[6], b[2];

  g_assert_cmpstr (graph->name, ==, "g");
  g_assert_cmpint (graph->opset, ==, 13);
  g_assert_cmpint (graph->n_nodes, ==, 3);
  g_assert_cmpint (graph->n_inputs, ==, 1);
  g_assert_cmpstr (graph->nodes[1].place, ==, "graph.node[1]");
  g_assert_cmpint (y->rank, ==, 2);
  g_assert_cmpint (y->dims[1], ==, 2);
  tp_tensor_write_value (find_tensor (graph, "w"), w);
  tp_tensor_write_value (find_tensor (graph, "b"), b);
  g_assert_cmpfloat (w[5], ==, 6);
  g_assert_cmpfloat (b[1], ==, -0.5f);
}

/* raw_data is read where it lies, aligned or not. */
static void
test_zero_copy (void)
{
  int n_inside = 0, n_odd = 0;

  for (int pad = 1; pad <= 4; pad++)
    {
      g_autofree char *text = g_strnfill (pad, 'd');
      Msg *inner = linear_new ();
      g_autoptr (GByteArray) model = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (TpGraph) graph = NULL;
      const char *first, *data;
      float w[6];

      msg_string (inner, 10, text);
      model = model_new (inner);
      g_byte_array_prepend (model, (const guint8 *) "\x1a\x04zzzz", 2 + pad);
      model->data[1] = pad;
      bytes = g_bytes_new (model->data, model->len);
      graph = tp_graph_load_onnx ("m.onnx", bytes, NULL, NULL);
      first = g_bytes_get_data (bytes, NULL);
      data = find_tensor (graph, "w")->init.data;
      n_inside += data >= first && data < first + model->len;
      n_odd += (guintptr) data % 4 != 0;
      tp_tensor_write_value (find_tensor (graph, "w"), w);
      g_assert_cmpfloat (w[0], ==, 1);
      g_assert_cmpfloat (w[5], ==, 6);
    }
  g_assert_cmpint (n_inside, ==, 4);
  g_assert_cmpint (n_odd, ==, 3);
}

/* Gelu and FastGelu are known from another domain too, functions of ONNX Runtime's from
 * there; other ops are not. */
static void
test_adopted (void)
{
  static const char *const types[] = { "Gelu", "FastGelu", "QuickGelu", "Relu" };

  for (int i = 0; i < 4; i++)
    {
      Msg *inner = graph_new (), *node = node_new (types[i], "x", NULL, "y");
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = NULL;

      msg_string (node, 7, "com.microsoft");
      msg_take (inner, 1, node);
      graph = load (inner, &error);
      g_assert_true ((graph != NULL) == (i < 3));
      if (graph != NULL)
        g_assert_cmpstr (graph->nodes[0].type, ==,
                         i < 2 ? types[i] : "Swish");
    }
}

/* A list of strings reaches the op, and one that is too short is blamed. */
static void
test_strings (void)
{
  for (int n = 2; n <= 3; n++)
    {
      Msg *inner = graph_new (), *node = node_new ("LSTM", "x3", "w", "y");
      Msg *attr = attr_new ("activations", n == 3 ? 8 : 0);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = NULL;
      int n_strings = 0;

      msg_take (inner, 11, value_new ("x3", 3, (gint64[]){ 5, 1, 2 }));
      msg_take (inner, 11, value_new ("w", 3, (gint64[]){ 1, 4, 2 }));
      msg_take (inner, 11, value_new ("r", 3, (gint64[]){ 1, 4, 1 }));
      msg_string (node, 1, "r");
      for (int i = 0; i < n; i++)
        msg_string (attr, 9, i == 0 ? "Sigmoid" : "Relu");
      msg_take (node, 5, attr);
      msg_take (inner, 1, node);
      graph = load (inner, &error);
      g_assert_true ((graph != NULL) == (n == 3));
      if (graph != NULL)
        g_assert_cmpstr (tp_node_get_strings (&graph->nodes[0], "activations",
                                              &n_strings)[2], ==, "Relu");
    }
}

/* ---- element types ----------------------------------------------------- */

static void
check_values (Msg *tensor, TpDtype dtype)
{
  Msg *graph = graph_new ();
  g_autoptr (TpGraph) loaded = NULL;
  double values[3];

  msg_take (graph, 5, tensor);
  msg_take (graph, 1, node_new ("Relu", "x", NULL, "y"));
  msg_take (graph, 12, value_new ("t", 0, NULL));
  loaded = load_well (graph);
  g_assert_cmpint (find_tensor (loaded, "t")->dtype, ==, dtype);
  tp_tensor_write_doubles (find_tensor (loaded, "t"), values);
  g_assert_cmpfloat (values[0], ==, 1);
  g_assert_cmpfloat (values[1], ==, 0);
  g_assert_cmpfloat (values[2], ==, dtype == TPLAN_DTYPE_UINT8 ? 200
                                     : dtype == TPLAN_DTYPE_BOOL ? 1 : -3);
}

static void
test_varints (void)
{
  static const struct
  {
    int number, list;
    TpDtype dtype;
    gint64 third;
  } types[] = {
    { 2, 5, TPLAN_DTYPE_UINT8, 200 }, { 6, 5, TPLAN_DTYPE_INT32, -3 },
    { 7, 7, TPLAN_DTYPE_INT64, -3 },  { 9, 5, TPLAN_DTYPE_BOOL, 1 },
  };
  static const gint64 dims[] = { 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      Msg *plain = tensor_new ("t", types[i].number, 1, dims);
      Msg *packed = tensor_new ("t", types[i].number, 1, dims);
      Msg *list = msg_new ();

      msg_int (plain, types[i].list, 1);
      msg_int (plain, types[i].list, 0);
      msg_int (plain, types[i].list, types[i].third);
      msg_varint (list, 1);
      msg_varint (list, 0);
      msg_varint (list, types[i].third);
      msg_take (packed, types[i].list, list);
      check_values (plain, types[i].dtype);
      check_values (packed, types[i].dtype);
    }
}

static void
test_floats (void)
{
  static const gint64 dims[] = { 3 };
  static const float narrow[] = { 1, 0, -3 };
  static const double wide[] = { 1, 0, -3 };
  Msg *tensor = tensor_new ("t", 1, 1, dims);

  msg_bytes (tensor, 4, narrow, sizeof narrow);
  check_values (tensor, TPLAN_DTYPE_FLOAT32);
  tensor = tensor_new ("t", 11, 1, dims);
  msg_bytes (tensor, 10, wide, sizeof wide);
  check_values (tensor, TPLAN_DTYPE_FLOAT64);
  tensor = tensor_new ("t", 11, 1, dims);
  for (int i = 0; i < 3; i++)
    msg_double (tensor, 10, wide[i]);
  check_values (tensor, TPLAN_DTYPE_FLOAT64);
  tensor = tensor_new ("t", 11, 1, dims);
  msg_bytes (tensor, 9, wide, sizeof wide);
  check_values (tensor, TPLAN_DTYPE_FLOAT64);
  tensor = tensor_new ("t", 9, 1, dims);
  msg_bytes (tensor, 9, "\1\0\7", 3);
  check_values (tensor, TPLAN_DTYPE_BOOL);
}

/* Reals of 16 bits: as bytes, and as integers whose lower half they are. */
static void
test_half (void)
{
  static const struct
  {
    int number;
    TpDtype dtype;
    guint16 bits[3];
  } types[] = {
    { 10, TPLAN_DTYPE_FLOAT16, { 0x3c00, 0, 0xc200 } },
    { 16, TPLAN_DTYPE_BFLOAT16, { 0x3f80, 0, 0xc040 } },
  };
  static const gint64 dims[] = { 3 };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      Msg *raw = tensor_new ("t", types[i].number, 1, dims);
      Msg *listed = tensor_new ("t", types[i].number, 1, dims);

      msg_bytes (raw, 9, types[i].bits, sizeof types[i].bits);
      for (int k = 0; k < 3; k++)
        msg_int (listed, 5, types[i].bits[k]);
      check_values (raw, types[i].dtype);
      check_values (listed, types[i].dtype);
    }
}

static void
test_unknown_type (void)
{
  Msg *graph = linear_new ();

  msg_take (graph, 5, tensor_new ("t", 13, 0, NULL));
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "m.onnx: graph.initializer?2?: *'t'*type 13*");
}

/* @op, of integers and a scale, makes reals of @tensor. */
static Msg *
narrow_new (const char *op, Msg *tensor)
{
  Msg *graph = graph_new (), *scale = tensor_new ("s", 1, 0, NULL);

  msg_float (scale, 4, 1.0f);
  msg_take (graph, 5, tensor);
  msg_take (graph, 5, scale);
  msg_take (graph, 1, node_new (op, "t", "s", "c"));
  msg_take (graph, 1, node_new ("Add", "x", "c", "y"));
  return graph;
}

/* As bytes, the first values in the lowest bits, and as a list of these bytes. */
static void
test_narrow (void)
{
  static const gint64 dims[] = { 2, 3 };
  static const struct
  {
    int type, n_bytes;
    guint8 bytes[3];
    double values[6];
  } cases[] = {
    { 21, 3, { 0x10, 0xf7, 0x98 }, { 0, 1, 7, 15, 8, 9 } },
    { 22, 3, { 0x10, 0xf7, 0x98 }, { 0, 1, 7, -1, -8, -7 } },
    { 25, 2, { 0xe4, 0x0b }, { 0, 1, 2, 3, 3, 2 } },
    { 26, 2, { 0xe4, 0x0b }, { 0, 1, -2, -1, -1, -2 } },
  };

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      int type = cases[i / 2].type;
      Msg *tensor = tensor_new ("t", type, 2, dims);
      g_autoptr (TpGraph) graph = NULL;
      double found[6];

      if (i % 2 == 0)
        msg_bytes (tensor, 9, cases[i / 2].bytes, cases[i / 2].n_bytes);
      for (int k = 0; k < cases[i / 2].n_bytes && i % 2 == 1; k++)
        msg_int (tensor, 5, cases[i / 2].bytes[k]);
      graph = load_well (narrow_new ("DequantizeLinear", tensor));
      tp_tensor_write_doubles (find_tensor (graph, "t"), found);
      for (int k = 0; k < 6; k++)
        g_assert_cmpfloat (found[k], ==, cases[i / 2].values[k]);
    }
}

/* ---- nodes ------------------------------------------------------------- */

static void
check_constant (Msg *attr, TpDtype dtype, int rank, double value)
{
  Msg *graph = graph_new (), *node = node_new ("Constant", NULL, NULL, "c");
  g_autoptr (TpGraph) loaded = NULL;
  double found[4];

  msg_take (node, 5, attr);
  msg_take (graph, 1, node);
  msg_take (graph, 1, node_new ("Relu", "x", NULL, "y"));
  msg_take (graph, 12, value_new ("c", 0, NULL));
  loaded = load_well (graph);
  g_assert_cmpint (loaded->n_nodes, ==, 1);
  g_assert_cmpint (find_tensor (loaded, "c")->dtype, ==, dtype);
  g_assert_cmpint (find_tensor (loaded, "c")->rank, ==, rank);
  tp_tensor_write_doubles (find_tensor (loaded, "c"), found);
  g_assert_cmpfloat (found[0], ==, value);
}

static void
test_constants (void)
{
  Msg *attr = attr_new ("value_int", 2), *tensor;

  msg_int (attr, 3, -7);
  check_constant (attr, TPLAN_DTYPE_INT64, 0, -7);
  check_constant (attr_new ("value_int", 2), TPLAN_DTYPE_INT64, 0, 0);
  attr = attr_new ("value_float", 1);
  msg_float (attr, 2, 0.25f);
  check_constant (attr, TPLAN_DTYPE_FLOAT32, 0, 0.25);
  attr = attr_new ("value_ints", 7);
  msg_int (attr, 8, 3);
  msg_int (attr, 8, 4);
  check_constant (attr, TPLAN_DTYPE_INT64, 1, 3);
  attr = attr_new ("value_floats", 6);
  msg_bytes (attr, 7, "\0\0\x80\x3f\0\0\0\0", 8);
  check_constant (attr, TPLAN_DTYPE_FLOAT32, 1, 1);
  attr = attr_new ("value", 4);
  tensor = tensor_new ("", 6, 0, NULL);
  msg_int (tensor, 5, 12);
  msg_take (attr, 5, tensor);
  check_constant (attr, TPLAN_DTYPE_INT32, 0, 12);
  attr = msg_new (); /* as old files write: no type */
  msg_string (attr, 1, "value_int");
  msg_int (attr, 3, 5);
  check_constant (attr, TPLAN_DTYPE_INT64, 0, 5);
}

/* Nodes out of order, equal names, an input that is also an initializer,
 * fields nobody knows. */
static void
test_leniency (void)
{
  static const gint64 dims[] = { 3 };
  Msg *graph = graph_new (), *node, *tensor = tensor_new ("c", 1, 1, dims);
  g_autoptr (TpGraph) loaded = NULL;

  msg_bytes (tensor, 9, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
  msg_take (graph, 11, value_new ("c", 1, dims));
  node = node_new ("Relu", "z", NULL, "y");
  msg_string (node, 3, "same");
  msg_string (node, 7, "ai.onnx");
  msg_string (node, 99, "later versions may know");
  msg_take (graph, 1, node);
  node = node_new ("Add", "x", "c", "z");
  msg_string (node, 3, "same");
  msg_take (graph, 1, node);
  msg_take (graph, 5, tensor);
  msg_int (graph, 1000, 1);
  loaded = load_well (graph);
  g_assert_cmpint (loaded->n_inputs, ==, 1);
  g_assert_cmpstr (loaded->nodes[0].type, ==, "Add");
  g_assert_cmpstr (loaded->nodes[0].name, !=, loaded->nodes[1].name);
}

static void
test_dims (void)
{
  static const gint64 dims[] = { -1, -2 };
  g_autoptr (TpDims) bound = tp_dims_new ();
  Msg *graph = msg_new ();
  g_autoptr (GByteArray) model = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (TpGraph) loaded = NULL;
  g_autoptr (GError) error = NULL;

  msg_take (graph, 11, value_new ("x", 2, dims));
  msg_take (graph, 12, value_new ("y", 0, NULL));
  msg_take (graph, 1, node_new ("Relu", "x", NULL, "y"));
  model = model_new (graph);
  bytes = g_bytes_new (model->data, model->len);
  tp_dims_set (bound, "N", 4);
  loaded = tp_graph_load_onnx ("m.onnx", bytes, bound, &error);
  g_assert_null (loaded);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
  g_assert_cmpstr (error->message, ==,
                   "m.onnx: graph.input[0].shape[1]: dimension 'x.1' has no "
                   "value: give it one, as with --dim x.1=8");
  tp_dims_set (bound, "x.1", 6);
  loaded = tp_graph_load_onnx ("m.onnx", bytes, bound, NULL);
  g_assert_cmpint (loaded->tensors[loaded->outputs[0]].dims[0], ==, 4);
  g_assert_cmpint (loaded->tensors[loaded->outputs[0]].dims[1], ==, 6);
}

static void
test_chain (void)
{
  Msg *graph = graph_new ();
  g_autoptr (TpGraph) loaded = NULL;
  const int n = 100000;

  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = i == 0 ? g_strdup ("x") : g_strdup_printf ("%d", i);
      g_autofree char *out
          = i == n - 1 ? g_strdup ("y") : g_strdup_printf ("%d", i + 1);

      msg_take (graph, 1, node_new ("Relu", in, NULL, out));
    }
  loaded = load_well (graph);
  g_assert_cmpint (loaded->n_nodes, ==, n);
}

/* ---- external data ----------------------------------------------------- */

static Msg *
external_new (const char *location, const char *offset, const char *length)
{
  static const gint64 dims[] = { 3 };
  const char *const pairs[] = { "location", location, "offset", offset,
                                "length", length };
  Msg *graph = graph_new (), *tensor = tensor_new ("c", 1, 1, dims);

  for (int i = 0; i < 6; i += 2)
    if (pairs[i + 1] != NULL)
      {
        Msg *entry = msg_new ();

        msg_string (entry, 1, pairs[i]);
        msg_string (entry, 2, pairs[i + 1]);
        msg_take (tensor, 13, entry);
      }
  msg_int (tensor, 14, 1);
  msg_take (graph, 5, tensor);
  msg_take (graph, 1, node_new ("Add", "x", "c", "y"));
  return model_new (graph);
}

/* Loads it as @folder/m.onnx; @pattern: NULL, or what the error is like. */
static void
check_external (const char *folder, Msg *taken, const char *pattern)
{
  g_autoptr (GByteArray) model = taken;
  g_autofree char *path = g_build_filename (folder, "m.onnx", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph
      = load_bytes (path, model->data, model->len, &error);
  float found[3];

  if (pattern != NULL)
    {
      g_assert_null (graph);
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      if (!g_pattern_match_simple (pattern, error->message))
        g_error ("'%s' is not like '%s'", error->message, pattern);
      return;
    }
  g_assert_no_error (error);
  tp_tensor_write_value (find_tensor (graph, "c"), found);
  g_assert_cmpfloat (found[0], ==, 1);
  g_assert_cmpfloat (found[2], ==, 3);
}

static void
test_external (void)
{
  static const float values[] = { 0, 1, 2, 3 };
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *file = g_build_filename (folder, "w.bin", NULL);
  g_autofree char *odd = g_build_filename (folder, "odd.bin", NULL);
  g_autofree char *link = g_build_filename (folder, "link.bin", NULL);
  char shifted[17] = { 0 };

  memcpy (shifted + 1, values, 16);
  g_file_set_contents (file, (const char *) values, 16, NULL);
  g_file_set_contents (odd, shifted, 17, NULL);
  g_assert_cmpint (symlink ("w.bin", link), ==, 0);
  check_external (folder, external_new ("w.bin", "4", "12"), NULL);
  check_external (folder, external_new ("./w.bin", "4", NULL), NULL);
  check_external (folder, external_new ("odd.bin", "5", "12"), NULL);
  check_external (folder, external_new ("w.bin", "8", "12"),
                  "*'c' ends at byte 20 of 'w.bin', which has 16");
  check_external (folder, external_new ("w.bin", "9223372036854775807", NULL),
                  "*external_data*");
  check_external (folder, external_new ("w.bin", "-4", NULL),
                  "*external_data*");
  check_external (folder, external_new ("w.bin", "4", "8"),
                  "*external_data*a length of 12*");
  check_external (folder, external_new (NULL, "4", "12"), "*location*");
  check_external (folder, external_new ("none", NULL, NULL), "*'none'*");
  check_external (folder, external_new ("link.bin", NULL, NULL),
                  "*symbolic links are not followed*");
  check_external (folder, external_new ("../w.bin", NULL, NULL),
                  "*out of the model's folder*");
  check_external (folder, external_new (file, NULL, NULL),
                  "*out of the model's folder*");
  check_external (folder, external_new (".", NULL, NULL),
                  "*not a regular file*");
  g_unlink (file);
  g_unlink (odd);
  g_unlink (link);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx/linear", test_linear);
  g_test_add_func ("/onnx/adopted", test_adopted);
  g_test_add_func ("/onnx/strings", test_strings);
  g_test_add_func ("/onnx/zero-copy", test_zero_copy);
  g_test_add_func ("/onnx/varints", test_varints);
  g_test_add_func ("/onnx/floats", test_floats);
  g_test_add_func ("/onnx/half", test_half);
  g_test_add_func ("/onnx/unknown-type", test_unknown_type);
  g_test_add_func ("/onnx/narrow", test_narrow);
  g_test_add_func ("/onnx/constants", test_constants);
  g_test_add_func ("/onnx/leniency", test_leniency);
  g_test_add_func ("/onnx/dims", test_dims);
  g_test_add_func ("/onnx/chain", test_chain);
  g_test_add_func ("/onnx/external", test_external);
  return g_test_run ();
}
