/* test-fold.c: the shape arithmetic that exporters write is known when a graph
 * is loaded, and exact. */
#include "config.h"

#include "ir/graph-value.h"
#include "graph/pass.h"
#include "op-support.h"
#include "quoted-graph.h"

#include <math.h>
#include <string.h>

static const struct
{
  int opset;
  const char *text;
  const char *values; /* of the last output */
} chains[] = {
  /* view (x.size (0), -1) */
  { 13,
    "in x 2 3 4;Shape x -> s;ints i 0;Gather s i -> n;ints m -1;"
    "Concat n m -> y axis=0",
    "2 -1" },
  /* flatten by halves: x.size (2) / 2, x.size (2) % 2 */
  { 13,
    "in x 2 3 5;Shape x -> s;ints i 2;Gather s i -> n;ints two 2;"
    "Div n two -> half;Mod n two -> rest;Concat half rest -> y axis=0",
    "2 1" },
  { 13, "ints a -7 7 -7 7;ints b 2 -2 -2 2;Div a b -> y", "-3 -3 3 3" },
  { 13, "ints a -7 7 -7 7;ints b 2 -2 -2 2;Mod a b -> y", "1 -1 -1 1" },
  { 13, "ints a -7 7 -7 7;ints b 2 -2 -2 2;Mod a b -> y fmod=1", "-1 1 -1 1" },
  { 13, "ints a 5;ints b 0;Div a b -> y", "0" },
  /* expand (-1): where (shape == -1, 1, shape) */
  { 13,
    "ints s 2 -1 3;Shape s -> n;ConstantOfShape n -> z;Cast z -> zi to=7;"
    "ints one 1;Add zi one -> ones;ints m -1;Equal s m -> e;"
    "Where e ones s -> y",
    "2 1 3" },
  { 13,
    "in x 2 5;Shape x -> s;ints i 1;Gather s i -> n;Squeeze n -> limit;"
    "ints z 0;Squeeze z -> from;ints o 1;Squeeze o -> step;"
    "Range from limit step -> y",
    "0 1 2 3 4" },
  { 13, "ints a 5;Squeeze a -> l;ints z 9;Squeeze z -> f;ints s -2;"
        "Squeeze s -> d;Range f l d -> y", "9 7" },
  { 13, "in x 2 3 4;Size x -> y", "24" },
  { 15, "in x 2 3 4;Shape x -> y start=-2", "3 4" },
  { 13, "ints x 4 5 6 7;ints s -1;ints e -9223372036854775808;ints a 0;"
        "ints d -2;Slice x s e a d -> y", "7 5" },
  { 13, "ints x 4 5 6 7;ints s -1;ints e -9223372036854775807;ints a 0;"
        "ints d -1;Slice x s e a d -> y", "7 6 5 4" },
  /* float and back, as upsampling by a factor does */
  { 13,
    "in x 2 5;Shape x -> s;Cast s -> f to=1;scalar k 2.5;Mul f k -> g;"
    "Floor g -> h;Cast h -> y to=7",
    "5 12" },
  { 13, "scalar a -2.9;Cast a -> y to=7", "-2" },
  { 13, "scalar a 300;Cast a -> b to=2;Cast b -> y to=7", "44" },
  { 13, "scalar a 0.25;Cast a -> b to=9;Not b -> c;Cast c -> y to=7", "0" },
  /* only the type of the other counts */
  { 15, "in x 2 3;scalar a -2.9;CastLike a x -> b;Cast b -> y to=7", "-2" },
  { 15, "int64 x 2 3;scalar a -2.9;CastLike a x -> y", "-2" },
  /* through tensors without elements */
  { 13, "ints e;ints a 3;Concat e a -> y axis=0", "3" },
  { 13, "in x;Shape x -> s;ints a 4;Concat s a s -> y axis=0", "4" },
  { 13, "ints e;ConstantOfShape e -> o;Cast o -> y to=7", "0" },
  { 13, "ints x 1 2;ints z 0;ints p 0 2;Slice x z z -> e;Concat e p -> y "
        "axis=0", "0 2" },
  { 13, "ints x 1 2 3;ints p 1 2;Split x p -> a b;Concat b a -> y axis=0",
    "2 3 1" },
  { 13, "ints x 1 2;ints s 2 2;Expand x s -> e;ints f -1;Reshape e f -> y",
    "1 2 1 2" },
  { 13, "ints x 1 2;ints r 2;Tile x r -> y", "1 2 1 2" },
  { 13, "ints x 3 -4;Abs x -> a;Neg a -> n;Sub n x -> p;Max p x -> m;"
        "Min m a -> y", "3 0" },
  /* a product of matrices */
  { 13, "ints a 1 2;ints d 2 1;Reshape a d -> r;Cast r -> f to=1;ints c 1 2;"
        "Reshape a c -> q;Cast q -> g to=1;MatMul f g -> m;Cast m -> i to=7;"
        "ints l -1;Reshape i l -> y", "1 2 2 4" },
  /* what a double cannot hold is moved exactly */
  { 13, "ints x 9223372036854775807 1;ints a 0;ints k 0;"
        "Gather x k -> g;Unsqueeze g a -> u;ints s -1;Reshape u s -> y",
    "9223372036854775807" },
};

static void
test_chain (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph
      = test_graph_new (chains[i].opset, chains[i].text, &error);
  g_autoptr (GString) got = g_string_new (NULL);
  g_autofree gint64 *values = NULL;
  const TpTensor *out;

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 0);
  out = &graph->tensors[graph->outputs[graph->n_outputs - 1]];
  g_assert_cmpint (out->dtype, ==, TPLAN_DTYPE_INT64);
  values = g_new (gint64, out->count + 1);
  tp_tensor_write_value (out, values);
  for (int k = 0; k < out->count; k++)
    g_string_append_printf (got, "%s%" G_GINT64_FORMAT, k > 0 ? " " : "",
                            values[k]);
  g_assert_cmpstr (got->str, ==, chains[i].values);
}

/* Sums beyond 2^53 would be wrong in double: they are left to be computed. */
static const char *const inexact[] = {
  "ints a 9007199254740993;ints b 1;Add a b -> y",
  "ints a 9007199254740991;ints b 2;Add a b -> y",
  "ints a 4611686018427387904;ints b 3;Mul a b -> y",
  "ints a 3037000500;ints b 3037000501;Mul a b -> y",
  "ints a 9007199254740993;ints b 9007199254740992;Equal a b -> y",
  "ints a 9007199254740993;Gather a a -> y",
  "ints a 3 1;MatMul a a -> y", /* on the way to it, sums may be large */
  "ints a 1234567890123456789 1;Transpose a -> y",
};

static void
test_inexact (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (13, inexact[i], &error);

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_nodes, ==, 1);
}

/* ---- weights -------------------------------------------------------------- */

#define N_WEIGHTS 300000      /* over 1 MiB of float32 */

/* As data of a file, dequantized @n times over. */
static TpGraph *
load_quantized (int n)
{
  g_autoptr (GString) text = g_string_new (
      "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'shape': []}], 'initializers': [{'name': 's', 'shape': [], 'data': "
      "[0.5]}, {'name': 'z', 'dtype': 'int8', 'shape': [], 'data': [-3]}, "
      "{'name': 'w', 'dtype': 'int8', 'shape': [300000], 'data': [-4");

  for (int i = 1; i < N_WEIGHTS; i++)
    g_string_append_printf (text, ",%d", i % 256 - 128);
  g_string_append (text, "]}], 'ops': [");
  for (int i = 0; i < n; i++)
    g_string_append_printf (
        text,
        "%s{'type': 'DequantizeLinear', 'inputs': ['w', 's', 'z'], 'outputs': "
        "['f%d']}, {'type': 'Mul', 'inputs': ['x', 'f%d'], 'outputs': ['y%d']}",
        i > 0 ? ", " : "", i, i, i);
  g_string_append (text, "], 'outputs': ['y0'");
  for (int i = 1; i < n; i++)
    g_string_append_printf (text, ", 'y%d'", i);
  g_string_append (text, "]}");
  return test_load_quoted (text->str);
}

/* Loaded they stay quantized, a pass may want them so; then once is as many numbers as
 * there were, and of many times, some are left. */
static void
test_weights (void)
{
  for (int n = 1; n <= 40; n += 39)
    {
      g_autoptr (TpGraph) loaded = load_quantized (n);
      g_autoptr (TpGraph) graph = tp_graph_simplify (loaded, NULL);
      const TpTensor *weights;
      float first;

      g_assert_cmpint (loaded->n_nodes, ==, 2 * n);
      g_assert_true (n == 1 ? graph->n_nodes == 1 : graph->n_nodes > n);
      if (n > 1)
        continue;
      weights = &graph->tensors[graph->nodes[0].inputs[1]];
      g_assert_true (tp_tensor_is_constant (weights));
      memcpy (&first, weights->init.data, sizeof first);
      g_assert_cmpfloat (first, ==, -0.5f);
    }
}

/* What has no elements is in nobody's way: no op that is left reads or makes it. */
static void
test_empty (void)
{
  static const char *const texts[] = {
    "in x 2 3;ints s 3 0;Split x s -> a b axis=1;Neg a -> n;"
    "Concat n b -> y axis=1",
    "in x 2 3;ints s 0 3 0;Split x s -> a b c axis=1;Neg b -> n;"
    "Concat a n c -> y axis=1",
    "in x 2 3;ints f 3;ints t 9;ints d 1;Slice x f t d -> a;Exp a -> b;Neg x -> n;"
    "Concat b n n -> z axis=1;ints u 0;Slice z u f d -> y",
    "in x 2 3;const e 0 3;const s 3;LayerNormalization e s -> l;"
    "RMSNormalization l s -> r;Neg x -> n;Concat r n -> y axis=0",
    "in x 2 3;const e 0 2 3;const s 2;GroupNormalization e s s -> g "
    "num_groups=2;ints t -1 3;Reshape g t -> r;Neg x -> n;Concat r n -> y "
    "axis=0",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (13, texts[i], &error);
      g_autoptr (GPtrArray) values = NULL;
      const double *x, *y;

      g_assert_no_error (error);
      for (int k = 0; k < graph->n_nodes; k++)
        {
          g_assert_cmpint (graph->tensors[graph->nodes[k].outputs[0]].count, >, 0);
          for (int j = 0; j < graph->nodes[k].n_inputs; j++)
            g_assert_cmpint (graph->tensors[graph->nodes[k].inputs[j]].count, >, 0);
        }
      values = test_graph_run (graph, FALSE);
      x = values->pdata[graph->inputs[0]];
      y = values->pdata[graph->outputs[0]];
      for (int k = 0; k < 6; k++)
        g_assert_cmpfloat (y[k], ==, -x[k]);
    }
}

/* What somebody wants that has no elements is a constant; so is an input that has none. */
static void
test_empty_ends (void)
{
  static const char *const texts[] = {
    "in x 2 3;ints s 3 0;Split x s -> a b axis=1;Neg b -> y",
    "in x 2 0;in w 0 3;Neg x -> y;MatMul x w -> z",
    "in x 2 0 3;Relu x -> y",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (13, texts[i], &error);

      g_assert_no_error (error);
      g_assert_cmpint (graph->n_inputs, ==, i == 0);
      for (int k = 0; k < graph->n_outputs; k++)
        {
          const TpTensor *output = &graph->tensors[graph->outputs[k]];
          double values[6] = { 1, 1, 1, 1, 1, 1 };

          if (strcmp (output->name, "a") == 0)
            continue;
          g_assert_true (tp_tensor_is_constant (output));
          g_assert_cmpint (output->count, ==, strcmp (output->name, "z") == 0 ? 6 : 0);
          tp_tensor_write_doubles (output, values);
          for (gint64 j = 0; j < output->count; j++)
            g_assert_cmpfloat (values[j], ==, 0);
        }
    }
}

/* Of nothing a reduction gives what changes nothing. */
static void
test_reduced_nothing (void)
{
  static const struct
  {
    const char *op;
    double real, integer, byte; /* of int32, of uint8 */
  } cases[] = {
    { "ReduceSum", 0, 0, 0 },         { "ReduceProd", 1, 1, 1 },
    { "ReduceSumSquare", 0, 0, 0 },   { "ReduceL1", 0, 0, 0 },
    { "ReduceL2", 0, 0, 0 },          { "ReduceLogSum", -INFINITY, 0, 0 },
    { "ReduceLogSumExp", -INFINITY, 0, 0 },
    { "ReduceMax", -INFINITY, G_MININT32, 0 },
    { "ReduceMin", INFINITY, G_MAXINT32, 255 },
  };
  static const char *const types[] = { "in", "int32", "uint8" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases) * 3; i++)
    {
      const double wanted[] = { cases[i / 3].real, cases[i / 3].integer, cases[i / 3].byte };
      g_autofree char *text = g_strdup_printf ("%s x 2 0 3;ints a 1;%s x a -> y",
                                               types[i % 3], cases[i / 3].op);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = NULL;
      double values[6] = { 0 };

      if (i % 3 > 0 && wanted[0] == -INFINITY && wanted[1] == 0)
        continue; /* a logarithm of integers */
      graph = test_graph_new (18, text, &error);
      g_assert_no_error (error);
      tp_tensor_write_doubles (&graph->tensors[graph->outputs[0]], values);
      for (int k = 0; k < 6; k++)
        g_assert_cmpfloat (values[k], ==, wanted[i % 3]);
    }
}

/* One of several outputs of an op that has others: that stays an error. */
static void
test_not_empty (void)
{
  static const char *const texts[] = {
    "in x 2 3;ints s 2 1 0;Split x s -> a b c axis=1;Concat a b c -> y axis=1",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (13, texts[i], &error);

      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, "has no elements"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_autofree char *path = g_strdup_printf ("/fold/chain/%d", (int) i);

      g_test_add_data_func (path, GINT_TO_POINTER ((int) i), test_chain);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (inexact); i++)
    {
      g_autofree char *path = g_strdup_printf ("/fold/inexact/%d", (int) i);

      g_test_add_data_func (path, GINT_TO_POINTER ((int) i), test_inexact);
    }
  g_test_add_func ("/fold/weights", test_weights);
  g_test_add_func ("/fold/empty", test_empty);
  g_test_add_func ("/fold/empty-ends", test_empty_ends);
  g_test_add_func ("/fold/reduced-nothing", test_reduced_nothing);
  g_test_add_func ("/fold/not-empty", test_not_empty);
  return g_test_run ();
}
