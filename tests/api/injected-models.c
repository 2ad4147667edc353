/* injected-models.c: see injected-models.h. */
#include "config.h"

#include "injected-models.h"

#include "tests/ir/onnx-bytes.h"

#include <string.h>

/* A chain with branches that come back, with weights, and with what is not fused
 * away. */
static void
write_op (GString *text, int i)
{
  g_string_append_printf (text, "%s{\"name\": \"op%d\", ", i > 0 ? ", " : "",
                          i);
  if (i % 16 == 0)
    g_string_append_printf (text, "\"type\": \"Mul\", \"inputs\": "
                            "[\"t%d\", \"w%d\"]", i, i);
  else if (i % 4 == 3)
    g_string_append_printf (text, "\"type\": \"Add\", \"inputs\": "
                            "[\"t%d\", \"t%d\"]", i, i - 3);
  else
    g_string_append_printf (text, "\"type\": \"%s\", \"inputs\": [\"t%d\"]",
                            i % 16 == 9 ? "Softmax" : "Tanh", i);
  g_string_append_printf (text, ", \"outputs\": [\"t%d\"]}", i + 1);
}

/* Two parts of what is one kernel's, and what makes one of both, of @from. */
static void
write_joined (GString *text, int from, int to)
{
  g_string_append_printf (
      text,
      ", {\"name\": \"a\", \"type\": \"Softmax\", \"inputs\": [\"t%d\"], \"outputs\": [\"a\"]}"
      ", {\"name\": \"b\", \"type\": \"Tanh\", \"inputs\": [\"a\"], \"outputs\": [\"b\"]}"
      ", {\"name\": \"c\", \"type\": \"Softmax\", \"inputs\": [\"t%d\"], \"outputs\": [\"c\"]}"
      ", {\"name\": \"ab\", \"type\": \"Concat\", \"inputs\": [\"b\", \"c\"], \"outputs\": "
      "[\"ab\"], \"attrs\": {\"axis\": 0}}"
      ", {\"name\": \"rows\", \"type\": \"Reshape\", \"inputs\": [\"ab\", \"two\"], "
      "\"outputs\": [\"rows\"]}"
      ", {\"name\": \"most\", \"type\": \"ReduceMax\", \"inputs\": [\"rows\"], \"outputs\": "
      "[\"t%d\"], \"attrs\": {\"axes\": [0], \"keepdims\": 0}}",
      from, from, to);
}

void
injected_write_json (const char *path, int n_ops)
{
  g_autoptr (GString) text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"opset\": 17, \"inputs\": "
      "[{\"name\": \"t0\", \"shape\": [64]}], \"initializers\": [");

  for (int i = 0; i < n_ops; i += 16)
    g_string_append_printf (text, "%s{\"name\": \"w%d\", \"shape\": [64], "
                            "\"random\": {\"seed\": %d}}",
                            i > 0 ? ", " : "", i, i);
  g_string_append_printf (text, ", {\"name\": \"two\", \"dtype\": \"int64\", \"shape\": [2], "
                          "\"data\": [2, 64]}], \"outputs\": [\"t%d\"], \"ops\": [",
                          n_ops + 1);
  for (int i = 0; i < n_ops; i++)
    write_op (text, i);
  write_joined (text, n_ops, n_ops + 1);
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
}

void
injected_write_onnx (const char *path, int n_ops)
{
  static const gint64 dims[] = { 64 };
  g_autofree char *last = g_strdup_printf ("t%d", n_ops);
  g_autoptr (GByteArray) model = NULL;
  Msg *graph = msg_new ();

  for (int i = 0; i < n_ops; i++)
    {
      g_autofree char *input = g_strdup_printf ("t%d", i);
      g_autofree char *output = g_strdup_printf ("t%d", i + 1);

      msg_take (graph, 1, node_new ("Tanh", input, NULL, output));
    }
  msg_take (graph, 11, value_new ("t0", 1, dims));
  msg_take (graph, 12, value_new (last, 1, dims));
  model = model_new (graph);
  g_assert_true (g_file_set_contents (path, (const char *) model->data,
                                      model->len, NULL));
}

/* ---- functions, named dimensions, constants to fold ----------------------- */

/* A function of "x", whose result is "y". */
static Msg *
function_new (const char *name)
{
  Msg *function = msg_new ();

  msg_string (function, 1, name);
  msg_string (function, 4, "x");
  msg_string (function, 5, "y");
  msg_string (function, 10, "local");
  return function;
}

static Msg *
constant_new (const char *name)
{
  static const gint64 dims[] = { 16, 64 }; /* as large as is kept once */
  static const float values[16 * 64];
  Msg *tensor = tensor_new (name, 1, 2, dims), *attr = attr_new ("value", 4);
  Msg *node = node_new ("Constant", NULL, NULL, name);

  msg_bytes (tensor, 9, values, sizeof values);
  msg_take (attr, 5, tensor);
  msg_take (node, 5, attr);
  return node;
}

/* y = x + c0 + c1 + ... */
static Msg *
long_function_new (int n)
{
  Msg *function = function_new ("long");

  for (int i = 0; i < n; i++)
    {
      g_autofree char *constant = g_strdup_printf ("c%d", i);
      g_autofree char *input = g_strdup_printf (i > 0 ? "h%d" : "x", i);
      g_autofree char *output = g_strdup_printf (i + 1 < n ? "h%d" : "y", i + 1);

      msg_take (function, 7, constant_new (constant));
      msg_take (function, 7, node_new ("Add", input, constant, output));
    }
  return function;
}

static Msg *
call_new (int i, const char *function)
{
  g_autofree char *input = g_strdup_printf ("t%d", i);
  g_autofree char *output = g_strdup_printf ("t%d", i + 1);
  Msg *node = node_new (function, input, NULL, output);

  msg_string (node, 7, "local");
  return node;
}

/* If c: tanh (tanh (... @input)), else -@input. */
static Msg *
if_new (const char *input, int n)
{
  Msg *node = node_new ("If", "c", NULL, "y");
  Msg *branches[] = { msg_new (), msg_new () };

  for (int i = 0; i < n; i++)
    {
      g_autofree char *in = g_strdup_printf ("h%d", i);
      g_autofree char *out = g_strdup_printf ("h%d", i + 1);

      msg_take (branches[0], 1, node_new ("Tanh", i > 0 ? in : input, NULL,
                                          i + 1 < n ? out : "o"));
    }
  msg_take (branches[1], 1, node_new ("Neg", input, NULL, "o"));
  for (int i = 0; i < 2; i++)
    {
      Msg *attr = attr_new (i == 0 ? "then_branch" : "else_branch", 5);

      msg_take (branches[i], 12, value_new ("o", 0, NULL));
      msg_take (attr, 6, branches[i]);
      msg_take (node, 5, attr);
    }
  return node;
}

/* A condition that is known. */
static Msg *
true_new (void)
{
  Msg *tensor = tensor_new ("c", 9, 0, NULL);

  msg_int (tensor, 5, 1);
  return tensor;
}

/* for @n rounds: @input = tanh (@input), which goes to a sequence, too, and is given. */
static void
add_loop (Msg *graph, const char *input, gint64 n)
{
  static const char *const names[] = { "i", "c", "a", "s", "c", "b", "r", "b" };
  Msg *node = node_new ("Loop", "n", "", "last"), *attr = attr_new ("body", 5);
  Msg *body = msg_new (), *count = tensor_new ("n", 7, 0, NULL);
  Msg *join = node_new ("ConcatFromSequence", "all", NULL, "joined");
  Msg *axis = attr_new ("axis", 2);

  msg_take (body, 1, node_new ("Tanh", "a", NULL, "b"));
  msg_take (body, 1, node_new ("SequenceInsert", "s", "b", "r"));
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    msg_take (body, i < 4 ? 11 : 12, value_new (names[i], 0, NULL));
  msg_take (attr, 6, body);
  msg_take (node, 5, attr);
  msg_string (node, 1, input);
  msg_string (node, 1, "empty");
  msg_string (node, 2, "all");
  msg_string (node, 2, "rounds");
  msg_int (count, 7, n);
  msg_int (axis, 3, 0);
  msg_take (join, 5, axis);
  msg_take (graph, 5, count);
  msg_take (graph, 1, node_new ("SequenceEmpty", NULL, NULL, "empty"));
  msg_take (graph, 1, node);
  msg_take (graph, 1, join);
  msg_take (graph, 12, value_new ("joined", 0, NULL));
  msg_take (graph, 12, value_new ("rounds", 0, NULL));
}

/* Many small functions, a long one, a long branch of an If, and rounds of a Loop. */
void
injected_write_functions (const char *path, int n_ops)
{
  static const gint64 dims[] = { 64 };
  int n = n_ops / 4;
  g_autofree char *last = g_strdup_printf ("t%d", n + 1);
  g_autoptr (GByteArray) model = NULL;
  Msg *graph = msg_new ();

  msg_take (graph, 11, value_new ("t0", 1, dims));
  msg_take (graph, 12, value_new ("y", 0, NULL));
  msg_take (graph, 5, true_new ());
  for (int i = 0; i <= n; i++)
    {
      g_autofree char *name = g_strdup_printf ("f%d", i);

      msg_take (graph, 1, call_new (i, i < n ? name : "long"));
    }
  msg_take (graph, 1, if_new (last, n / 2));
  add_loop (graph, "y", n / 4);
  model = model_new (graph);
  msg_take (model, 25, long_function_new (n / 2));
  for (int i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("f%d", i);
      Msg *function = function_new (name);

      msg_take (function, 7, node_new ("Tanh", "x", NULL, "y"));
      msg_take (model, 25, function);
    }
  g_assert_true (g_file_set_contents (path, (const char *) model->data,
                                      model->len, NULL));
}

/* An input and an op for each dimension; every other one has a value. */
void
injected_write_dims (const char *path, int n_ops)
{
  g_autoptr (GString) text
      = g_string_new ("{\"format\": \"tplan-graph/1\", \"dims\": {");

  for (int i = 0; i < n_ops; i += 2)
    g_string_append_printf (text, "%s\"N%d\": 4", i > 0 ? ", " : "", i);
  g_string_append (text, "}, \"inputs\": [");
  for (int i = 0; i < n_ops; i++)
    g_string_append_printf (text, "%s{\"name\": \"x%d\", \"shape\": "
                            "[\"N%d\"]}", i > 0 ? ", " : "", i, i);
  g_string_append (text, "], \"ops\": [");
  for (int i = 0; i < n_ops; i++)
    g_string_append_printf (text, "%s{\"type\": \"Tanh\", \"inputs\": "
                            "[\"x%d\"], \"outputs\": [\"y%d\"]}",
                            i > 0 ? ", " : "", i, i);
  g_string_append (text, "], \"outputs\": [");
  for (int i = 0; i < n_ops; i++)
    g_string_append_printf (text, "%s\"y%d\"", i > 0 ? ", " : "", i);
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
}

/* Ops on constants whose references have memory of their own. */
void
injected_write_folded (const char *path)
{
  static const char text[]
      = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
        " \"shape\": [1, 64, 64]}], \"initializers\": ["
        "{\"name\": \"c\", \"shape\": [1, 64, 64], \"fill\": 0.5},"
        "{\"name\": \"s\", \"shape\": [64], \"fill\": 1},"
        "{\"name\": \"k\", \"dtype\": \"int64\", \"shape\": [1],"
        " \"fill\": 64}],"
        "\"ops\": ["
        "{\"type\": \"LayerNormalization\", \"inputs\": [\"c\", \"s\"],"
        " \"outputs\": [\"n\"]},"
        "{\"type\": \"InstanceNormalization\","
        " \"inputs\": [\"n\", \"s\", \"s\"], \"outputs\": [\"i\"]},"
        "{\"type\": \"TopK\", \"inputs\": [\"i\", \"k\"],"
        " \"outputs\": [\"v\", \"j\"]},"
        "{\"type\": \"Softmax\", \"inputs\": [\"v\"],"
        " \"outputs\": [\"p\"]},"
        "{\"type\": \"Split\", \"inputs\": [\"p\"],"
        " \"attrs\": {\"axis\": 1, \"num_outputs\": 2},"
        " \"outputs\": [\"a\", \"b\"]},"
        "{\"type\": \"Concat\", \"inputs\": [\"b\", \"a\"],"
        " \"attrs\": {\"axis\": 1}, \"outputs\": [\"q\"]},"
        "{\"type\": \"Add\", \"inputs\": [\"x\", \"q\"],"
        " \"outputs\": [\"y\"]}], \"outputs\": [\"y\"]}";

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* A file of many tensors, and who reads them all. */
void
injected_write_tensors (const char *path, const char *weights_path, int n_ops)
{
  static const float weights[4];
  g_autoptr (GString) text = g_string_new (
      "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x0\", "
      "\"shape\": [4]}], \"initializers\": [");
  g_autoptr (GString) file = g_string_new ("12345678{");
  g_autofree char *name = g_path_get_basename (weights_path);
  int n = n_ops / 4;
  guint64 size;

  for (int i = 0; i < n; i++)
    {
      const char *comma = i > 0 ? ", " : "";

      g_string_append_printf (text, "%s{\"name\": \"w%d\", \"file\": "
                              "\"%s\", \"key\": \"k%d\"}", comma, i, name, i);
      g_string_append_printf (file, "%s\"k%d\": {\"dtype\": \"F32\", "
                              "\"shape\": [4], \"data_offsets\": [%d, %d]}",
                              comma, i, 16 * i, 16 * i + 16);
    }
  g_string_append (file, "}");
  size = GUINT64_TO_LE (file->len - 8);
  memcpy (file->str, &size, 8);
  g_string_append (text, "], \"ops\": [");
  for (int i = 0; i < n; i++)
    {
      g_string_append_len (file, (const char *) weights, sizeof weights);
      g_string_append_printf (text, "%s{\"type\": \"Mul\", \"inputs\": "
                              "[\"x%d\", \"w%d\"], \"outputs\": [\"x%d\"]}",
                              i > 0 ? ", " : "", i, i, i + 1);
    }
  g_string_append_printf (text, "], \"outputs\": [\"x%d\"]}", n);
  g_assert_true (g_file_set_contents (weights_path, file->str, file->len, NULL));
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
}

/* Ops whose references see integers as doubles. */
void
injected_write_integers (const char *path)
{
  static const char text[]
      = "{\"format\": \"tplan-graph/1\", \"inputs\": [{\"name\": \"x\","
        " \"dtype\": \"int64\", \"shape\": [64, 64]}], \"ops\": ["
        "{\"type\": \"Transpose\", \"inputs\": [\"x\"],"
        " \"attrs\": {\"perm\": [1, 0]}, \"outputs\": [\"t\"]},"
        "{\"type\": \"Concat\", \"inputs\": [\"t\", \"x\"],"
        " \"attrs\": {\"axis\": 0}, \"outputs\": [\"c\"]},"
        "{\"type\": \"ReduceMax\", \"inputs\": [\"c\"],"
        " \"attrs\": {\"axes\": [0]}, \"outputs\": [\"y\"]}],"
        "\"opset\": 17, \"outputs\": [\"y\"]}";

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* ---- kernels of many kinds ------------------------------------------------ */

/* One op that reads "@input" and weights, and gives "@output". */
static void
add_kind (GString *text, const char *type, const char *inputs,
          const char *output, const char *attrs)
{
  g_string_append_printf (text, "%s{\"type\": \"%s\", \"inputs\": [%s], "
                          "\"outputs\": [\"%s\"], \"attrs\": {%s}}",
                          g_str_has_suffix (text->str, "[") ? "" : ", ", type,
                          inputs, output, attrs);
}

/* "x0", "x1", ... */
static char *
list_names (const char *stem, int n)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%s\"%s%d\"", i > 0 ? ", " : "", stem, i);
  return g_string_free (text, FALSE);
}

/* Contractions, windows, reductions, transpositions, a recurrence, many tensors
 * read by one kernel, and elementwise ops that become one. */
void
injected_write_kinds (const char *path)
{
  static const struct
  {
    const char *name, *shape;
  } weights[] = { { "wc", "[24, 8, 3, 3]" }, { "wd", "[24, 1, 5, 5]" },
                  { "wm", "[200, 100]" },    { "s", "[100]" },
                  { "wl", "[1, 64, 100]" },  { "rl", "[1, 64, 16]" },
                  { "wt", "[100, 3000]" } }; /* too large to be folded */
  g_autofree char *many = list_names ("v", 40);
  GString *text = g_string_new ("{\"format\": \"tplan-graph/1\", \"opset\": 17, "
                                "\"inputs\": [{\"name\": \"x\", \"shape\": "
                                "[1, 8, 20, 20]}, {\"name\": \"m\", \"shape\": "
                                "[3, 50, 200]}");

  for (int i = 0; i < 40; i++)
    g_string_append_printf (text, ", {\"name\": \"v%d\", \"shape\": [%d, 30]}",
                            i, i % 3 + 1);
  for (int i = 0; i < 40; i++)
    g_string_append_printf (text, ", {\"name\": \"u%d\", \"shape\": [30]}", i);
  g_string_append (text, "], \"initializers\": [");
  for (gsize i = 0; i < G_N_ELEMENTS (weights); i++)
    g_string_append_printf (text, "%s{\"name\": \"%s\", \"shape\": %s, "
                            "\"random\": {\"seed\": %d}}", i > 0 ? ", " : "",
                            weights[i].name, weights[i].shape, (int) i);
  g_string_append (text, "], \"outputs\": [\"y1\", \"y2\", \"y3\", \"y4\", "
                         "\"y5\", \"y6\", \"y7\", \"y8\"], \"ops\": [");
  add_kind (text, "Conv", "\"x\", \"wc\"", "c1", "\"pads\": [1, 1, 1, 1]");
  add_kind (text, "Conv", "\"c1\", \"wd\"", "c2",
            "\"pads\": [2, 2, 2, 2], \"group\": 24, \"strides\": [2, 2]");
  add_kind (text, "MaxPool", "\"c2\"", "y1", "\"kernel_shape\": [3, 3]");
  add_kind (text, "MatMul", "\"m\", \"wm\"", "m1", "");
  add_kind (text, "LayerNormalization", "\"m1\", \"s\"", "m2", "");
  add_kind (text, "Softmax", "\"m2\"", "y2", "\"axis\": -1");
  add_kind (text, "Transpose", "\"m2\"", "y3", "\"perm\": [2, 0, 1]");
  add_kind (text, "LSTM", "\"m1\", \"wl\", \"rl\"", "y4",
            "\"hidden_size\": 16");
  add_kind (text, "Attention", "\"m\", \"m\", \"m\"", "y7",
            "\"q_num_heads\": 4, \"kv_num_heads\": 4, \"is_causal\": 1");
  add_kind (text, "Concat", many, "y5", "\"axis\": 0");
  add_kind (text, "Tanh", "\"wt\"", "wt1", "");
  add_kind (text, "MatMul", "\"m1\", \"wt1\"", "y8", "");
  g_string_append (text, ", {\"type\": \"Sum\", \"inputs\": [");
  g_free (g_steal_pointer (&many));
  many = list_names ("u", 40);
  g_string_append_printf (text, "%s], \"outputs\": [\"h0\"]}", many);
  for (int i = 0; i < 24; i++)
    {
      g_autofree char *input = g_strdup_printf ("\"h%d\"", i);
      g_autofree char *output = g_strdup_printf (i < 23 ? "h%d" : "y6", i + 1);

      add_kind (text, i % 3 == 0 ? "Erf" : i % 3 == 1 ? "Tanh" : "Softplus", input,
                output, "");
    }
  g_string_append (text, "]}");
  g_assert_true (g_file_set_contents (path, text->str, text->len, NULL));
  g_string_free (text, TRUE);
}
