/* test-op.c: every op over shapes, attributes and layouts: what its nests give
 * against its reference; its shape rule; its errors. */
#include "config.h"

#include "op-support.h"
#include "ops/lower.h"
#include "ops/op-util.h"
#include "ops/op.h"

#include <math.h>
#include <string.h>

/* ---- nests against references ------------------------------------------- */

static const struct
{
  int opset;
  const char *text;
} cases[] = {
#include "op-cases.inc"
};

static void
check_node (const TpGraph *graph, int node, GPtrArray *values, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpLowered) lowered = tp_lower_nodes (graph, &node, 1, &error);

  g_assert_no_error (error);
  if (graph->nodes[node].op->kind == TP_OP_VIEW)
    {
      g_assert_cmpint (lowered->n_nests, ==, 0);
      return;
    }
  g_assert_cmpint (lowered->n_nests, >, 0);
  test_lowered_compare (graph, lowered, values, text);
}

static void
check_case (int i, TpDtype real, TestLayout layout)
{
  const char *text = cases[i].text;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph
      = test_graph_new_of (real, cases[i].opset, text, &error);
  g_autoptr (GPtrArray) values = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, >, 0);
  test_graph_set_layout (graph, layout);
  values = test_graph_run (graph, graph->nodes[0].op->domain
                                      == TP_DOMAIN_POSITIVE);
  for (int k = 0; k < graph->n_nodes; k++)
    check_node (graph, k, values, text);
}

static void
test_case (gconstpointer data)
{
  for (int layout = 0; layout < TEST_N_LAYOUTS; layout++)
    check_case (GPOINTER_TO_INT (data), TPLAN_DTYPE_FLOAT32, layout);
}

/* Every op that takes float32 takes narrower reals. */
static void
test_narrow (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (test_text_is_of_float32 (cases[i].text))
        continue;
      check_case (i, TPLAN_DTYPE_FLOAT16, i % TEST_N_LAYOUTS);
      check_case (i, TPLAN_DTYPE_BFLOAT16, (i + 1) % TEST_N_LAYOUTS);
    }
}

/* An op nobody tests is an op that may be wrong. */
static void
test_coverage (void)
{
  int n = 0;
  const TpOp *const *ops = tp_op_list (&n);

  for (int i = 0; i < n; i++)
    {
      g_autofree char *word = g_strdup_printf ("%s ", ops[i]->name);
      gboolean is_used = ops[i]->lower == NULL && ops[i]->kind != TP_OP_VIEW;

      for (gsize k = 0; k < G_N_ELEMENTS (cases) && !is_used; k++)
        is_used = strstr (cases[k].text, word) != NULL;
      if (!is_used)
        g_error ("no case for %s", ops[i]->name);
      g_assert_true (tp_op_find (ops[i]->name) == ops[i]);
    }
  g_assert_null (tp_op_find ("Convolution"));
}

/* What flags and kinds say of an op must go together. */
static void
test_flags (void)
{
  int n = 0;
  const TpOp *const *ops = tp_op_list (&n);

  for (int i = 0; i < n; i++)
    {
      const TpOp *op = ops[i];

      if ((op->flags & (TP_OP_IDENTITY | TP_OP_COPIES)) != 0)
        g_assert_true (op->kind == TP_OP_MAP);
      /* Whose neighbours along an image are read together. */
      if (op->kind == TP_OP_WINDOW)
        g_assert_true ((op->flags & TP_OP_CHANNELS_LAST) != 0);
      if (op->kind == TP_OP_MAP && op->lower == tp_lower_pass)
        g_assert_true ((op->flags & TP_OP_COPIES) != 0);
    }
}

/* ---- shapes ------------------------------------------------------------- */

static const struct
{
  int opset;
  const char *text;
  const char *shape;
} shapes[] = {
  { 17,
    "in x 1 3 224 224;const w 64 3 7 7;Conv x w -> y pads=3,3,3,3 "
    "strides=2,2",
    "1 64 112 112" },
  { 17,
    "in x 1 3 10 11;const w 4 3 3 3;Conv x w -> y auto_pad=SAME_UPPER "
    "strides=2,2",
    "1 4 5 6" },
  { 17, "in x 1 1 10;const w 1 1 3;Conv x w -> y dilations=4", "1 1 2" },
  { 17, "in x 1 1 7 7;MaxPool x -> y kernel_shape=3,3 strides=2,2 ceil_mode=1",
    "1 1 3 3" },
  { 17, "in x 1 1 8 8;MaxPool x -> y kernel_shape=3,3 strides=2,2 ceil_mode=1",
    "1 1 4 4" },
  { 17, "in x 1 1 8 8;MaxPool x -> y kernel_shape=3,3 strides=2,2", "1 1 3 3" },
  /* no window starts behind the input */
  { 17, "in x 1 1 3 3;MaxPool x -> y kernel_shape=1,1 strides=4,4 ceil_mode=1",
    "1 1 1 1" },
  { 17, "in x 5 1 4;in y 2 5 4 6;MatMul x y -> z", "2 5 1 6" },
  { 17, "in x 2 3 4;ints s 0 -1;Reshape x s -> y", "2 12" },
  { 17, "in x 2 3 4;Flatten x -> y axis=0", "1 24" },
  { 17, "in x 2 3 4;Flatten x -> y axis=-1", "6 4" },
  { 17, "in x 2 3 4;ReduceMean x -> y keepdims=0", "" },
  { 17, "in x 2 3 4;ReduceMean x -> y axes=-1,0", "1 3 1" },
  { 13, "in x 1 3 1;ints a 0 -1;Squeeze x a -> y", "3" },
  { 11, "in x 1 3 1;Squeeze x -> y", "3" },
  { 13, "in x 3;ints a 0 -1;Unsqueeze x a -> y", "1 3 1" },
  { 17, "in x 2 3 4;Transpose x -> y", "4 3 2" },
  { 17,
    "in x 4 5;ints s 3 -1;ints e -9 0;ints a 0 1;ints d -1 -2;"
    "Slice x s e a d -> y",
    "4 2" },
};

static void
test_shape (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (GString) got = g_string_new (NULL);
  const TpTensor *out = NULL;

  graph = test_graph_new (shapes[i].opset, shapes[i].text, &error);
  g_assert_no_error (error);
  out = &graph->tensors[graph->outputs[0]];
  for (int k = 0; k < out->rank; k++)
    g_string_append_printf (got, "%s%" G_GINT64_FORMAT, k > 0 ? " " : "",
                            out->dims[k]);
  g_assert_cmpstr (got->str, ==, shapes[i].shape);
}

/* ---- values that are known ---------------------------------------------- */

static const struct
{
  int opset;
  const char *text;
  double first, last;
} known[] = {
  /* one window of each kind over "ones and twos" made by Clip */
  { 17,
    "in x 1 1 4 4;scalar a 2;Clip x a a -> c;AveragePool c -> y "
    "kernel_shape=3,3 pads=1,1,1,1",
    2.0, 2.0 },
  { 17,
    "in x 1 1 4 4;scalar a 2;Clip x a a -> c;AveragePool c -> y "
    "kernel_shape=3,3 pads=1,1,1,1 count_include_pad=1",
    8.0 / 9.0, 8.0 / 9.0 },
  { 17, "in x 2 6;scalar a 2;Clip x a a -> c;Softmax c -> y", 1.0 / 6,
    1.0 / 6 },
  { 11, "in x 2 3 4;scalar a 2;Clip x a a -> c;Softmax c -> y axis=1", 1.0 / 12,
    1.0 / 12 },
  { 13, "in x 2 3 4;scalar a 2;Clip x a a -> c;Softmax c -> y axis=1", 1.0 / 3,
    1.0 / 3 },
  { 10, "in x 3;Clip x -> y min=5 max=5", 5.0, 5.0 },
  { 17, "in x 1 2 3;scalar a 3;Clip x a a -> c;ReduceSum c -> y keepdims=0",
    18.0, 18.0 },
  { 17,
    "in x 1 1 3 3;scalar a 1;Clip x a a -> c;ints p 0 0 1 1 0 0 1 1;"
    "scalar v 7;Pad c p v -> y",
    7.0, 7.0 },
};

static void
test_known (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph =
      test_graph_new (known[i].opset, known[i].text, &error);
  g_autoptr (GPtrArray) values = NULL;
  const double *out = NULL;

  g_assert_no_error (error);
  values = test_graph_run (graph, FALSE);
  out = values->pdata[graph->outputs[0]];
  g_assert_cmpfloat_with_epsilon (out[0], known[i].first, 1e-12);
  g_assert_cmpfloat_with_epsilon (
      out[graph->tensors[graph->outputs[0]].count - 1], known[i].last, 1e-12);
}

/* ---- errors ------------------------------------------------------------- */

static const struct
{
  int opset;
  const char *text;
  const char *message;
} errors[] = {
#include "op-errors.inc"
};

static void
test_error (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph =
      test_graph_new (errors[i].opset, errors[i].text, &error);

  g_assert_null (graph);
  g_assert_nonnull (error);
  if (strstr (error->message, errors[i].message) == NULL)
    g_error ("%s: got \"%s\", expected \"%s\"", errors[i].text, error->message,
             errors[i].message);
}

static void
add_cases (const char *kind, int n, GTestDataFunc function)
{
  for (int i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/op/%s/%d", kind, i);

      g_test_add_data_func (path, GINT_TO_POINTER (i), function);
    }
}

/* Where MaxPool says that its maxima are, these are, within
 * the window; by columns the same places are counted otherwise. */
static void
test_places (void)
{
  static const char form[]
      = "in x 2 3 7 6;MaxPool x -> y i kernel_shape=3,2 strides=2,1 pads=1,0,1,1 "
        "storage_order=%d";

  for (int order = 0; order < 2; order++)
    {
      g_autofree char *text = g_strdup_printf (form, order);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (17, text, &error);
      g_autoptr (GPtrArray) values = NULL;
      const TpTensor *out;
      const double *x, *y, *places;

      g_assert_no_error (error);
      values = test_graph_run (graph, FALSE);
      out = &graph->tensors[graph->nodes[0].outputs[0]];
      x = values->pdata[graph->nodes[0].inputs[0]];
      y = values->pdata[graph->nodes[0].outputs[0]];
      places = values->pdata[graph->nodes[0].outputs[1]];
      g_assert_cmpint (out->count, ==, 2 * 3 * 4 * 6);
      for (gint64 i = 0; i < out->count; i++)
        {
          gint64 at = (gint64) places[i] % 42, plane = i / 24;
          gint64 row = order == 0 ? at / 6 : at % 7;
          gint64 column = order == 0 ? at % 6 : at / 7;

          g_assert_cmpint ((gint64) places[i] / 42, ==, plane);
          g_assert_cmpfloat (x[plane * 42 + row * 6 + column], ==, y[i]);
          g_assert_cmpint (ABS (row - i / 6 % 4 * 2), <=, 1);
          g_assert_cmpint (column - i % 6, >=, 0);
          g_assert_cmpint (column - i % 6, <=, 1);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op/narrow", test_narrow);
  g_test_add_func ("/op/places", test_places);
  g_test_add_func ("/op/coverage", test_coverage);
  g_test_add_func ("/op/flags", test_flags);
  add_cases ("nests", G_N_ELEMENTS (cases), test_case);
  add_cases ("shape", G_N_ELEMENTS (shapes), test_shape);
  add_cases ("known", G_N_ELEMENTS (known), test_known);
  add_cases ("error", G_N_ELEMENTS (errors), test_error);
  return g_test_run ();
}
