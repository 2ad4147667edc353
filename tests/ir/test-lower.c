/* test-lower.c: chains of nodes as one program: equal to the references, in
 * every layout, or refused with a reason. */
#include "config.h"

#include "graph/pass.h"
#include "nest/nest-text.h"
#include "nest/nest-work.h"
#include "op-support.h"
#include "ops/lower.h"
#include "ops/reference.h"
#include "quoted-graph.h"
#include "random-join.h"

#include <string.h>

#define BN "const s 4;const b 4;const m 4;pos v 4;"

/* All nodes of the graph are one group; @n_nests: nests expected. */
static const struct
{
  const char *text;
  int n_nests;
} fused[] = {
  /* maps */
  { "in x 2 3 4 5;Relu x -> a;Sigmoid a -> b;Neg b -> c", 1 },
  { "in x 2 3 4 5;in y 3 1 1;Add x y -> a;Relu a -> b;Mul b y -> c", 1 },
  { "in x 2 3 4 5;Relu x -> a;Mul a a -> b", 1 },
  { "in x 2 3 4 5;Relu x -> a;Relayout a -> b;Exp b -> c", 1 },
  { "in x 2 1 4 1;Relu x -> a;Neg a -> b", 1 },
  /* epilogues */
  { "in x 2 3 6 7;const w 4 3 3 3;const c 4;in r 2 4 6 7;"
    "Conv x w c -> a pads=1,1,1,1;Add a r -> b;Relu b -> d",
    1 },
  { "in x 1 3 6 7;const w 4 3 3 3;Conv x w -> a strides=2,2;Sigmoid a -> b;"
    "Mul b b -> c",
    1 },
  { "in x 1 4 6 6;const w 8 2 3 3;const c 8;in r 8 1 1;in q 6;"
    "Conv x w c -> a group=2 pads=1,1,1,1;Add a r -> b;Mul b q -> d",
    1 },
  { "in x 1 4 6 6;const w 4 1 3 3;in r 1 4 6 6;"
    "Conv x w -> a group=4 pads=1,1,1,1;scalar lo 0;scalar hi 6;"
    "Clip a lo hi -> b;Add b r -> c",
    1 },
  { "in x 1 3 5 5;const w 4 3 1 1;" BN
    "Conv x w -> a;BatchNormalization a s b m v -> c;Relu c -> d",
    1 },
  { "in x 3 5;const w 4 5;const c 4;Gemm x w c -> a transB=1;Tanh a -> b", 1 },
  { "in x 2 3 5;in w 5 4;in r 2 3 4;MatMul x w -> a;Add r a -> b", 1 },
  { "in x 2 3 6 6;MaxPool x -> a kernel_shape=3,3 pads=1,1,1,1;Relu a -> b",
    1 },
  { "in x 2 3 6 6;in y 2 3 6 6;AveragePool x -> a kernel_shape=3,3 "
    "pads=1,1,1,1;Sub y a -> b",
    2 },
  { "in x 2 3 6 6;in y 2 3 6 6;Exp x -> e;MaxPool e -> a kernel_shape=5,5 "
    "pads=2,2,2,2;Sub y a -> b", 2 },
  { "in x 2 3 4 5;in y 2 3 1 1;GlobalAveragePool x -> a;Mul a y -> b", 1 },
  { "in x 2 3 4 5;in y 2 3 4 5;Softmax x -> a axis=1;Mul a y -> b", 1 },
  { "in x 2 3 4 5;ReduceMean x -> a axes=1 keepdims=0;Neg a -> b", 1 },
  { "in x 2 3 4 5;in y 2 2 4 5;in z 2 5 4 5;Concat x y -> a axis=1;"
    "Mul a z -> b;Relu b -> c",
    2 },
  { "in x 2 3 4 5;in z 5 1;Transpose x -> a perm=0,2,3,1;Mul a z -> b", 1 },
  { "in x 2 3 4 5;in z 8 9;ints p 0 0 2 3 0 0 2 1;Pad x p -> a mode=reflect;"
    "Mul a z -> b",
    9 },
  { "in x 2 3 4 5;in z 8 9;ints p 0 0 2 3 0 0 2 1;Pad x p -> a;Mul a z -> b",
    1 },
  { "in x 6 5;in z 3 5;ints s 4;ints e -99;ints a 0;ints d -2;"
    "Slice x s e a d -> b;Add b z -> c",
    1 },
  /* parts of what a node joins, each by who makes it */
  { "in x 1 3 6 7;const w 4 3 3 3;const v 5 3 1 1;Conv x w -> a pads=1,1,1,1;"
    "Conv x v -> b;Relu a -> c;Relu b -> d;Concat c d -> e axis=1",
    2 },
  { "in x 2 3 4 5;in y 2 2 4 5;in z 2 8 4 5;Exp x -> a;Concat y a x -> b axis=1;"
    "Mul b z -> c",
    3 },
  { "in x 2 3 6 6;in y 2 3 2 2;ints p 0 0 2 2 0 0 2 2;Pad y p -> a mode=edge;"
    "Neg a -> b;MaxPool x -> c kernel_shape=3,3 pads=1,1,1,1;Concat b c -> d "
    "axis=3;Abs d -> e",
    10 },
  { "in q 5 4;in k 4 7;in v 7 6;in x 5 3;MatMul q k -> s;Softmax s -> p axis=1;"
    "MatMul p v -> o;Neg x -> n;Concat o n -> z axis=1",
    4 },
  { "in x 3 4;in y 3 4;Relu x -> a;Concat a x -> b axis=0;Neg b -> c;"
    "in z 6 4;Concat c z -> d axis=1",
    3 },
  { "bool x 4 5;bool y 4 2;Not x -> a;Concat a y -> b axis=1;Not b -> c", 2 },
  /* scratch */
  { "in q 2 3 5 4;in k 2 3 4 7;in m 2 1 1 7;in v 2 3 7 6;in r 5 6;"
    "MatMul q k -> s;Add s m -> t;Softmax t -> p axis=3;MatMul p v -> o;"
    "Mul o r -> z",
    3 },
  { "in q 5 4;const k 4 7;const v 7 6;Neg q -> n;MatMul n k -> s;"
    "LogSoftmax s -> p axis=1;Abs p -> a;MatMul a v -> o",
    3 },
  { "in q 5 1;in k 1 7;const v 7 6;MatMul q k -> s;Softmax s -> p axis=1;"
    "MatMul p v -> o",
    2 },
  /* prologues */
  { "in x 2 4 6 6;" BN "const w 3 4 3 3;"
    "BatchNormalization x s b m v -> a;Relu a -> c;"
    "Conv c w -> d pads=1,1,1,1",
    1 },
  { "in x 2 4 6 6;" BN "const w 3 4 3 3;"
    "BatchNormalization x s b m v -> a;Sigmoid a -> c;"
    "Conv c w -> d pads=2,0,1,1 strides=2,3 dilations=1,2;Relu d -> e",
    1 },
  { "in x 2 4 6 6;" BN "const w 3 4 1 1;const c 3;in r 2 3 6 6;"
    "BatchNormalization x s b m v -> a;Relu a -> d;"
    "Conv d w c -> e;Add e r -> f",
    1 },
  { "in x 1 4 6 6;in y 4 1 1;const w 8 2 3 3;Add x y -> a;Exp a -> b;"
    "Conv b w -> c group=2 pads=1,1,1,1",
    1 },
  { "in x 1 4 6 1;in y 4 1 6;const w 4 1 3 3;Add x y -> a;"
    "Conv a w -> c group=4 pads=1,1,1,1",
    1 },
  { "in x 1 4 1 1;const w 2 4 3 3;Exp x -> a;Conv a w -> c pads=1,1,1,1", 1 },
  { "in x 1 4 1 3;const w 2 4 3 3;Exp x -> a;Conv a w -> c pads=1,1,1,1", 1 },
  { "in x 3 5;in y 5;const w 5 4;Mul x y -> a;MatMul a w -> b;Relu b -> c", 1 },
  { "in x 2 3 5;in w 4 5;Sigmoid w -> a;Gemm y a -> b transB=1;in y 7 5", 1 },
  { "in x 5;in w 5 4;Neg x -> a;MatMul a w -> b", 1 },
  { "in x 2 3 6 6;Exp x -> a;AveragePool a -> b kernel_shape=3,3 "
    "pads=1,1,1,1 strides=2,2",
    1 },
  { "in x 2 3 8 8;Exp x -> a;AveragePool a -> b kernel_shape=3,3 strides=2,2 "
    "ceil_mode=1 count_include_pad=1",
    1 },
  { "in x 2 3 6 6;Neg x -> a;MaxPool a -> b kernel_shape=3,3 pads=1,1,1,1", 1 },
  { "in x 2 3 4 5;in y 5;Mul x y -> a;Softmax a -> b axis=2;Neg b -> c", 1 },
  { "in x 2 3 4 5;Exp x -> a;ReduceMean a -> b axes=0,3;Log b -> c", 1 },
  { "in x 2 3 4 5;in y 2 2 4 5;Exp x -> a;Concat a y -> b axis=1", 2 },
  { "in x 2 3 4 5;Exp x -> a;Transpose a -> b perm=3,1,0,2;Neg b -> c", 1 },
  { "in x 2 3 4 5;ints p 0 0 2 3 0 0 2 1;Exp x -> a;Pad a p -> b mode=reflect;"
    "Neg b -> c",
    9 },
  { "in x 2 3 4 5;ints p 0 0 2 3 0 0 2 1;Exp x -> a;Pad a p -> b mode=edge",
    9 },
  { "in x 2 3 4 5;ints p 0 -1 2 3 0 0 2 1;scalar f 7;Exp x -> a;"
    "Pad a p f -> b;Neg b -> c",
    1 },
  { "in x 6 5;ints s 4;ints e -99;ints a 0;ints d -2;Exp x -> y;"
    "Slice y s e a d -> b;Neg b -> c",
    1 },
  { "const w 9 8;int64 i 2 5;in p 5 8;Gather w i -> a;Add a p -> b", 1 },
  { "const w 4 9 8;int32 i 5;in p 4 1 8;Gather w i -> a axis=1;Mul a p -> b;"
    "Neg b -> c",
    1 },
  { "in x 9 8;int64 i 5;int64 j 1;Add i j -> k;Gather x k -> b", 1 },
  { "in x 6 8;int64 i 2 9;const w 2 9;in p 9 8;Interpolate x i w -> a;"
    "Add a p -> b;Relu b -> c",
    1 },
  { "in x 4 5;in y 5;bool m 5;Less x y -> a;Not a -> b;And b m -> c;"
    "Where c x y -> d",
    1 },
  { "int64 x 5 8;int64 i 5;Neg i -> j;Gather x j -> b;Mul b b -> c", 1 },
};

static TpLowered *
lower_all (const TpGraph *graph, GError **error)
{
  g_autofree int *nodes = g_new (int, graph->n_nodes);

  for (int i = 0; i < graph->n_nodes; i++)
    nodes[i] = i;
  return tp_lower_nodes (graph, nodes, graph->n_nodes, error);
}

static void
test_fused (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  const char *text = fused[i].text;

  for (int layout = 0; layout < TEST_N_LAYOUTS; layout++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (17, text, &error);
      g_autoptr (TpLowered) lowered = NULL;
      g_autoptr (GPtrArray) values = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (graph->n_nodes, >, 1);
      test_graph_set_layout (graph, layout);
      lowered = lower_all (graph, &error);
      if (error != NULL)
        g_error ("%s: %s", text, error->message);
      g_assert_cmpint (lowered->n_nests, ==, fused[i].n_nests);
      values = test_graph_run (graph, FALSE);
      test_lowered_compare (graph, lowered, values, text);
    }
}

/* ---- random windows ----------------------------------------------------- */

static char *
random_list (int n, int low, int high)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "",
                            g_test_rand_int_range (low, high + 1));
  return g_string_free (text, FALSE);
}

/* An elementwise op, a convolution or pool, an elementwise op. */
static char *
random_window (void)
{
  static const char *const pools[] = { "MaxPool", "AveragePool",
                                       "AveragePool count_include_pad=1" };
  const char *pool = pools[g_test_rand_int_range (0, 3)];
  g_autofree char *strides = random_list (2, 1, 3);
  g_autofree char *pads = random_list (4, 0, 3);
  g_autofree char *dilations = random_list (2, 1, 2);
  int group = g_test_rand_int_range (1, 4);
  int channels = g_test_rand_int_range (1, 4);
  int filters = g_test_rand_int_range (1, 3);
  int kh = g_test_rand_int_range (1, 4);
  int kw = g_test_rand_int_range (1, 4);
  g_autofree char *head = g_strdup_printf (
      "in x %d %d %d %d;Exp x -> a", g_test_rand_int_range (1, 3),
      group * channels, g_test_rand_int_range (1, 8),
      g_test_rand_int_range (1, 8));

  if (g_test_rand_bit ())
    return g_strdup_printf (
        "%s;const w %d %d %d %d;Conv a w -> b group=%d strides=%s pads=%s "
        "dilations=%s;Neg b -> c;in q 1 1 1;Add c q -> d",
        head, group * filters, channels, kh, kw, group, strides, pads,
        dilations);
  /* little padding: every window of MaxPool has something to look at */
  return g_strdup_printf (
      "%s;%.*s a -> b%s kernel_shape=%d,%d strides=%s pads=1,0,%d,1 "
      "dilations=%s ceil_mode=%d;Neg b -> c",
      head, (int)strcspn (pool, " "), pool, pool + strcspn (pool, " "), kh + 1,
      kw + 1, strides, g_test_rand_int_range (0, 2), dilations,
      g_test_rand_bit ());
}

static void
test_random_windows (void)
{
  int n_run = 0;

  for (int round = 0; round < 600; round++)
    {
      g_autofree char *text = random_window ();
      g_autoptr (TpGraph) graph = test_graph_new (19, text, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpLowered) lowered = NULL;
      g_autoptr (GPtrArray) values = NULL;

      if (graph == NULL) /* the window is larger than the input */
        continue;
      n_run++;
      test_graph_set_layout (graph, round % TEST_N_LAYOUTS);
      lowered = lower_all (graph, &error);
      if (error != NULL)
        g_error ("%s: %s", text, error->message);
      values = test_graph_run (graph, FALSE);
      test_lowered_compare (graph, lowered, values, text);
    }
  g_assert_cmpint (n_run, >, 200);
}

/* ---- random joins --------------------------------------------------------- */

static int
count_parts (const TpGraph *graph)
{
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    if (strcmp (graph->nodes[i].type, "Concat") == 0)
      n = graph->nodes[i].n_inputs;
  return n;
}

/* No nest copies what another makes: one stores each part. */
static void
test_random_joins (void)
{
  for (int round = 0; round < 400; round++)
    {
      g_autofree char *text = random_join ();
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (17, text, &error);
      g_autoptr (TpLowered) lowered = NULL;
      g_autoptr (GPtrArray) values = NULL;

      g_assert_no_error (error);
      test_graph_set_layout (graph, round % TEST_N_LAYOUTS);
      lowered = lower_all (graph, &error);
      if (error != NULL)
        g_error ("%s: %s", text, error->message);
      g_assert_cmpint (test_lowered_count_results (lowered), ==, count_parts (graph));
      values = test_graph_run (graph, FALSE);
      test_lowered_compare (graph, lowered, values, text);
    }
}

/* ---- refusals ----------------------------------------------------------- */

static const struct
{
  const char *text;
  const char *message;
} refused[] = {
  { "in x 2 3 4 5;GlobalAveragePool x -> a;in y 2 3 4 5;Mul y a -> b",
    "op 'b': does not line up with op 'a'" },
  { "in x 4;in y 3 4;Relu x -> a;Add a y -> b", "does not line up" },
  { "in x 3 4;in y 4 4;MatMul x y -> a;in z 4 3;MatMul a z -> b",
    "op 'b': a second op that is not elementwise" },
  { "in x 3 4;in y 4 4;MatMul x y -> a;Softmax a -> b axis=1", "op 'b': a second op that is not elementwise" },
  { "in x 3 4;in y 4 4;Softmax x -> a axis=1;MatMul a y -> b", "op 'b': a second op that is not elementwise" },
  { "in x 3 4;in y 4 4;MatMul x y -> a;MatMul a y -> b;Softmax b -> c axis=1",
    "op 'b': a second op that is not elementwise" },
  { "in x 3 4;Relu x -> a;Neg a -> b;Add a b -> c",
    "op 'a': its output 'a' is read by others than op 'b'" },
  { "in x 3 4;in y 3 4;Relu x -> a;Neg y -> b", "op 'a': its output 'a'" },
  { "in x 3 4;Relu x -> a;Flatten a -> b", "a view cannot be fused" },
  { "in x 3 4;MatMul x a -> b;in y 4 5;Relu y -> a;Neg a -> c", "'a'" },
  { "in x 8796093022208 1;uint8 q 1 1 524288;in s 1 1;MatMulNBits x q s -> y K=1 N=1 "
    "block_size=1048576 accuracy_level=4", "too large to be rounded in blocks of 1048576" },
  { "int64 x 3 4;Exp x -> y", "op 'y': kernels have no exp of integers" },
  { "in x 8 3;int64 i 5;Relu x -> a;Gather a i -> b",
    "op 'b': does not line up with op 'a'" },
  { "in x 3 4;Relu x -> a;Concat a a -> b axis=0", "not all ops before it" },
  { "in x 3 4;Relu x -> a;Concat a x -> b axis=0;Neg a -> c",
    "op 'b': its output 'b' is read by others" },
  { "in x 3 4;in y 3 4;Relu x -> a;Neg y -> b;Add a b -> c;Concat c x -> d axis=0",
    "not all ops before it are chains" },
  { "in x 4 3 2;in t 4 1 3 2;const w 1 8 2;const r 1 8 2;"
    "LSTM x w r -> y hidden_size=2;Concat y t -> z axis=0",
    "a recurrence cannot be fused with op 'y'" },
};

static void
test_refused (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (17, refused[i].text, &error);
  g_autoptr (TpLowered) lowered = NULL;

  g_assert_no_error (error);
  lowered = lower_all (graph, &error);
  g_assert_null (lowered);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  if (strstr (error->message, refused[i].message) == NULL)
    g_error ("%s: %s", refused[i].text, error->message);
}

/* ---- text and work ------------------------------------------------------ */

static char *
text_of (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (17, text, &error);
  g_autoptr (TpLowered) lowered = NULL;

  g_assert_no_error (error);
  lowered = lower_all (graph, &error);
  g_assert_no_error (error);
  return tp_lowered_to_text (lowered);
}

static const struct
{
  const char *a, *b;
  gboolean is_equal;
} pairs[] = {
  { "in x 3 4;Relu x -> y", "in foo 3 4;Relu foo -> bar", TRUE },
  { "in x 3 4;Relu x -> y", "in x 4 3;Relu x -> y", FALSE },
  { "in x 3 4;Relu x -> y", "in x 3 4;Neg x -> y", FALSE },
  { "in x 3 4;const w 4 5;MatMul x w -> y", "in x 3 4;in w 4 5;MatMul x w -> y", FALSE },
  { "in x 3 4;in w 4 5;in c 5;Gemm x w c -> y",
    "in x 3 4;in w 4 5;in c 5;MatMul x w -> a;Add a c -> y", TRUE },
  { "in x 3 4;in w 4 5;Gemm x w -> y alpha=2",
    "in x 3 4;in w 4 5;Gemm x w -> y alpha=3", FALSE },
  { "in x 1 3 6 6;const w 4 3 3 3;Conv x w -> y pads=1,1,1,1",
    "in x 1 3 6 6;const w 4 3 3 3;Conv x w -> y auto_pad=SAME_UPPER", TRUE },
  { "in x 1 3 6 6;const w 4 3 3 3;Conv x w -> y pads=1,1,1,1",
    "in x 1 3 6 6;const w 4 3 3 3;Conv x w -> y pads=0,0,2,2", FALSE },
  { "in x 3 4;Relu x -> a;Identity a -> y", "in x 3 4;Relu x -> y", TRUE },
};

static void
test_text (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *a = text_of (pairs[i].a);
      g_autofree char *b = text_of (pairs[i].b);

      if ((strcmp (a, b) == 0) != pairs[i].is_equal)
        g_error ("%s | %s:\n%s\n%s", pairs[i].a, pairs[i].b, a, b);
    }
}

static const struct
{
  const char *text;
  TpWork work;
} works[] = {
  { "in x 3 4;Relu x -> y", { 12, 48, 48, 0, 12, 1, 0, 0 } },
  { "in x 3 4;const w 4 5;MatMul x w -> y", { 120, 128, 60, 80, 15, 1, 0, 0 } },
  { "in x 1 4 6 6;const w 8 4 3 3;Conv x w -> y pads=1,1,1,1", { 20736, 1728, 1152, 1152, 288, 1, 0, 0 } },
  { "in x 2 8;Softmax x -> y", { 16 * (1 + 3 + 3) + 2, 64, 64, 0, 2, 1, 0, 0 } },
  /* what is before a product is computed once for each element that it is of */
  { "in x 3 4;const w 4 5;Relu x -> a;MatMul a w -> y", { 12 + 120, 128, 60, 80, 15, 1, 0, 0 } },
  /* a slice reads only what it takes */
  { "in x 100 4;ints s 0;ints e 2;Slice x s e -> y", { 0, 32, 32, 0, 8, 1, 0, 0 } },
  { "in x 2 3;in y 2 4;Concat x y -> z axis=1", { 0, 56, 56, 0, 14, 1, 0, 0 } },
  { "in x 2 3;in y 3;Add x y -> a;Relu a -> b", { 12, 36, 24, 0, 6, 1, 0, 0 } },
  /* kernels: a product with its scores in scratch is one, and copies are one together */
  { "in q 5 4;in k 4 7;in v 7 6;MatMul q k -> s;Softmax s -> p axis=1;MatMul p v -> o",
    { 280 + 5 * 7 * 7 + 5 + 420, 4 * (20 + 28 + 42), 120, 0, 70, 1, 0, 0 } },
  { "in x 3 4;in a 3 4;in b 3 4;const w 4 4;MatMul x w -> y;MatMul a w -> c;"
    "Concat y x c b -> z axis=0", { 2 * 96, 4 * (12 * 3 + 16), 4 * 48, 64, 48, 3, 0, 0 } },
  { "in x 3 4;const w 4 5;Cast x -> d to=11;Cast w -> v to=11;MatMul d v -> e;"
    "Cast e -> y to=1", { 147, 208, 60, 160, 15, 1, 132, 0 } },
  { "uint8 x 3 4;uint8 w 4 5;MatMulInteger x w -> y", { 120, 32, 60, 0, 15, 1, 0, 120 } },
};

static void
test_work (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (works); i++)
    {
      g_autoptr (TpGraph) graph = test_graph_new (17, works[i].text, NULL);
      g_autoptr (TpLowered) lowered = lower_all (graph, NULL);
      TpWork got, want = works[i].work;

      tp_lowered_count_work (lowered, &got);
      g_assert_cmpint (got.flops, ==, want.flops);
      g_assert_cmpint (got.read_bytes, ==, want.read_bytes);
      g_assert_cmpint (got.written_bytes, ==, want.written_bytes);
      g_assert_cmpint (got.constant_bytes, ==, want.constant_bytes);
      g_assert_cmpint (got.n_points, ==, want.n_points);
      g_assert_cmpint (got.n_kernels, ==, want.n_kernels);
      g_assert_cmpint (got.double_flops, ==, want.double_flops);
      g_assert_cmpint (got.byte_flops, ==, want.byte_flops);
    }
}

/* ---- whole graphs ------------------------------------------------------- */

static void
test_reference (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, "in x 2 2;scalar c 1;Add x c -> a;Relu a -> b;Add a b -> d", &error);
  const double x[] = { 1.0, -3.0, 0.0, 2.0 };
  const double *inputs[] = { x };
  const double want[] = { 4.0, -2.0, 2.0, 6.0 };
  g_autoptr (GPtrArray) all = NULL;
  g_autoptr (GPtrArray) out = NULL;

  g_assert_no_error (error);
  out = tp_graph_run_reference (graph, inputs, FALSE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (out->len, ==, 1);
  g_assert_cmpmem (out->pdata[0], sizeof want, want, sizeof want);
  all = tp_graph_run_reference (graph, inputs, TRUE, &error);
  g_assert_no_error (error);
  g_assert_cmpint (all->len, ==, graph->n_tensors);
  g_assert_cmpmem (all->pdata[graph->outputs[0]], sizeof want, want,
                   sizeof want);
}

/* A BatchNormalization that no Conv can take becomes a ScaleShift. */
static void
test_split_norm (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, "in x 2 4 3 3;" BN "BatchNormalization x s b m v -> a epsilon=0.01",
      &error);
  g_autoptr (TpGraph) simple = NULL;
  g_autofree double *x = g_new (double, 72);
  const double *inputs[] = { x };
  g_autoptr (GPtrArray) want = NULL;
  g_autoptr (GPtrArray) got = NULL;

  g_assert_no_error (error);
  simple = tp_graph_simplify (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (simple->n_nodes, ==, 1);
  g_assert_cmpstr (simple->nodes[0].type, ==, "ScaleShift");
  g_assert_cmpstr (simple->nodes[0].name, ==, graph->nodes[0].name);
  for (int i = 0; i < 72; i++)
    x[i] = g_test_rand_double_range (-2.0, 2.0);
  want = tp_graph_run_reference (graph, inputs, FALSE, &error);
  got = tp_graph_run_reference (simple, inputs, FALSE, &error);
  for (int i = 0; i < 72; i++)
    g_assert_cmpfloat_with_epsilon (((double *)got->pdata[0])[i],
                                    ((double *)want->pdata[0])[i], 1e-5);
}

/* Ops with several outputs, of which any are read: every one of these is written. */
static const struct
{
  const char *op, *attrs, *inputs, *constants;
  int n_outputs;
} several[] = {
  { "Dropout", "", "'x'", "", 2 },
  { "DynamicQuantizeLinear", "", "'x'", "", 3 },
  { "LayerNormalization", "", "'x', 's'", "{'name': 's', 'shape': [4], 'fill': 2}", 3 },
  { "Split", "'axis': 1", "'x'", "", 2 },
  { "TopK", "", "'x', 'k'",
    "{'name': 'k', 'dtype': 'int64', 'shape': [1], 'data': [2]}", 2 },
  { "RNN", "'hidden_size': 5", "'x', 'w', 'r'",
    "{'name': 'w', 'shape': [1, 5, 4], 'fill': 1}, "
    "{'name': 'r', 'shape': [1, 5, 5], 'fill': 1}", 2 },
  { "GRU", "'hidden_size': 5", "'x', 'w', 'r'",
    "{'name': 'w', 'shape': [1, 15, 4], 'fill': 1}, "
    "{'name': 'r', 'shape': [1, 15, 5], 'fill': 1}", 2 },
  { "LSTM", "'hidden_size': 5", "'x', 'w', 'r'",
    "{'name': 'w', 'shape': [1, 20, 4], 'fill': 1}, "
    "{'name': 'r', 'shape': [1, 20, 5], 'fill': 1}", 3 },
};

/* @wanted: a bit for each output. */
static TpGraph *
load_several (int at, int wanted)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'x', "
      "'shape': [2, 2, 4]}], 'initializers': [%s], 'ops': [{'type': '%s', "
      "'inputs': [%s], 'outputs': ['o0', 'o1'%s], 'attrs': {%s}}], "
      "'outputs': [%s%s'o%d']}",
      several[at].constants, several[at].op, several[at].inputs,
      several[at].n_outputs > 2 ? ", 'o2'" : "", several[at].attrs,
      (wanted & 1) && wanted > 1 ? "'o0', " : "",
      (wanted & 2) && wanted > 3 ? "'o1', " : "",
      g_bit_storage (wanted) - 1);

  return test_load_quoted (text);
}

static void
check_several (int at, int wanted)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = load_several (at, wanted);
  g_autoptr (TpLowered) lowered
      = tp_lower_nodes (graph, (const int[]){ 0 }, 1, &error);

  g_assert_no_error (error);
  for (int i = 0; i < graph->n_outputs; i++)
    {
      gboolean is_written = FALSE;

      for (int k = 0; k < lowered->n_nests; k++)
        is_written |= lowered->operands[lowered->nests[k]->store.operand].tensor
                      == graph->outputs[i];
      g_assert_true (is_written);
    }
}

static void
test_several (void)
{
  for (gsize at = 0; at < G_N_ELEMENTS (several); at++)
    for (int wanted = 1; wanted < 1 << several[at].n_outputs; wanted++)
      check_several ((int) at, wanted);
}

static void
add_cases (const char *kind, int n, GTestDataFunc function)
{
  for (int i = 0; i < n; i++)
    {
      g_autofree char *path = g_strdup_printf ("/lower/%s/%d", kind, i);

      g_test_add_data_func (path, GINT_TO_POINTER (i), function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("fused", G_N_ELEMENTS (fused), test_fused);
  add_cases ("refused", G_N_ELEMENTS (refused), test_refused);
  g_test_add_func ("/lower/random-windows", test_random_windows);
  g_test_add_func ("/lower/random-joins", test_random_joins);
  g_test_add_func ("/lower/several", test_several);
  g_test_add_func ("/lower/text", test_text);
  g_test_add_func ("/lower/work", test_work);
  g_test_add_func ("/lower/reference", test_reference);
  g_test_add_func ("/lower/split-norm", test_split_norm);
  return g_test_run ();
}
