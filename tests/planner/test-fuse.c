/* test-fuse.c: what each rule joins, and what it must not. Each group found must
 * be one that can be lowered. */
#include "config.h"

#include "fuse-case.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "graph/pass.h"
#include "ir/costs.h"
#include "ir/op.h"
#include "nest/nest-check.h"
#include "nest/nest.h"
#include "ops/lower.h"
#include "planner/fuse.h"
#include "planner/objective.h"
#include "planner/offer.h"

static const FuseCase cases[] = {
  /* epilogue */
  { "conv-relu", Q ("r"), CONV ("a", "x") "," RELU ("r", "a"), "a+r", NULL },
  { "conv-relu-off", Q ("r"), CONV ("a", "x") "," RELU ("r", "a"), "",
    "epilogue" },
  { "conv-chain", Q ("s"),
    CONV ("a", "x") "," ADD ("b", "a", "x") "," RELU ("r", "b") ","
    OP ("s", "Sigmoid", Q ("r"), ""),
    "a+b+r+s", NULL },
  { "conv-read-twice", Q ("s"),
    CONV ("a", "x") "," RELU ("r", "a") "," ADD ("s", "a", "r"), "r+s",
    NULL },
  { "conv-is-output", Q ("a") "," Q ("r"),
    CONV ("a", "x") "," RELU ("r", "a"), "", NULL },
  { "conv-conv", Q ("b"), CONV ("a", "x") "," CONV ("b", "a"), "", NULL },
  { "depthwise-relu", Q ("r"),
    OP ("a", "Conv", Q ("x") "," Q ("k"), ",\"attrs\":{\"group\":8}") ","
    RELU ("r", "a"), "a+r", NULL },
  { "pool-relu", Q ("r"),
    OP ("a", "MaxPool", Q ("x"), ",\"attrs\":{\"kernel_shape\":[2,2]}") ","
    RELU ("r", "a"), "a+r", NULL },
  { "concat-norm-relu", Q ("r"),
    OP ("a", "Concat", Q ("x") "," Q ("x"), ",\"attrs\":{\"axis\":2}") ","
    NORM ("b", "a") "," RELU ("r", "b"),
    "a+b+r", NULL },
  { "mean-relu", Q ("r"),
    OP ("a", "GlobalAveragePool", Q ("x"), "") "," RELU ("r", "a"), "a+r",
    NULL },
  { "softmax-mul", Q ("r"),
    OP ("a", "Softmax", Q ("m"), "") "," OP ("r", "Mul", Q ("a") "," Q ("m"),
    ""), "a+r", NULL },
  { "squared", Q ("r"),
    OP ("a", "MatMul", Q ("m") "," Q ("n"), "") ","
    OP ("r", "Mul", Q ("a") "," Q ("a"), ""), "a+r", NULL },
  { "epilogue-broadcast", Q ("r"),
    OP ("a", "MatMul", Q ("v") "," Q ("n"), "") "," ADD ("r", "a", "m"), "",
    NULL },
  { "view-between", Q ("r"),
    OP ("a", "MatMul", Q ("m") "," Q ("n"), "") ","
    OP ("f", "Flatten", Q ("a"), "") "," RELU ("r", "f"), "a+f+r", NULL },
  { "view-of-bits", Q ("r"),
    OP ("a", "MatMul", Q ("m") "," Q ("n"), "") ","
    OP ("f", "BitCast", Q ("a"), ",\"attrs\":{\"to\":6}") ","
    OP ("r", "Abs", Q ("f"), ""), "", NULL },
  { "view-merges", Q ("r"),
    CONV ("a", "x") "," OP ("f", "Flatten", Q ("a"), "") "," RELU ("r", "f"),
    "a+f+r", NULL },
  { "view-splits", Q ("r"),
    RELU ("a", "m") "," RESHAPE ("f", "a") "," RELU ("r", "f"), "", NULL },
  { "view-behind-input", Q ("r"),
    OP ("f", "Flatten", Q ("x"), "") "," RELU ("r", "f"), "", NULL },
  { "view-is-output", Q ("r") "," Q ("f"),
    CONV ("a", "x") "," OP ("f", "Flatten", Q ("a"), "") "," RELU ("r", "f"),
    "", NULL },
  { "view-read-twice", Q ("r") "," Q ("s"),
    CONV ("a", "x") "," OP ("f", "Flatten", Q ("a"), "") "," RELU ("r", "f")
    "," RELU ("s", "f"), "", NULL },
  { "view-of-sum", Q ("r"),
    OP ("a", "MatMul", Q ("m") "," Q ("n"), "") "," ADD ("s", "a", "m") ","
    OP ("f", "Flatten", Q ("s"), "") "," ADD ("r", "f", "v"), "a+s+f+r",
    NULL },
  /* a residual sum goes to the later of two convolutions */
  { "residual", Q ("r"),
    CONV ("a", "x") "," CONV ("b", "x") "," ADD ("s", "b", "a") ","
    RELU ("r", "s"), "b+s+r", NULL },
  { "residual-turned", Q ("r"),
    CONV ("a", "x") "," CONV ("b", "x") "," ADD ("s", "a", "b") ","
    RELU ("r", "s"), "b+s+r", NULL },
  { "residual-shared", Q ("r") "," Q ("t"),
    CONV ("a", "x") "," CONV ("b", "x") "," ADD ("s", "a", "b") ","
    RELU ("r", "s") "," RELU ("t", "b"), "a+s+r", NULL },
  /* prologue */
  { "norm-relu-conv", Q ("a"),
    NORM ("b", "x") "," RELU ("r", "b") "," CONV ("a", "r"), "b+r+a", NULL },
  { "norm-relu-conv-relu", Q ("t"),
    NORM ("b", "x") "," RELU ("r", "b") "," CONV ("a", "r") ","
    RELU ("t", "a"), "b+r+a+t", NULL },
  { "norm-relu-conv-off", Q ("a"),
    NORM ("b", "x") "," RELU ("r", "b") "," CONV ("a", "r"), "b+r",
    "prologue" },
  { "relu-matmul", Q ("a"),
    RELU ("r", "m") "," OP ("a", "MatMul", Q ("r") "," Q ("n"), ""), "r+a",
    NULL },
  { "relu-as-weights", Q ("a"),
    RELU ("r", "m") "," OP ("a", "MatMul", Q ("m") "," Q ("r"), ""), "",
    NULL },
  { "relu-both-sides", Q ("a"),
    RELU ("r", "m") "," OP ("a", "MatMul", Q ("r") "," Q ("r"), ""), "",
    NULL },
  { "relu-pool", Q ("a"),
    RELU ("r", "x") ","
    OP ("a", "MaxPool", Q ("x"), ",\"attrs\":{\"kernel_shape\":[2,2]}"), "",
    NULL },
  { "prologue-broadcast", Q ("a"),
    RELU ("r", "v") "," ADD ("s", "r", "m") ","
    OP ("a", "MatMul", Q ("s") "," Q ("n"), ""), "s+a", NULL },
  { "conv-relu-conv", Q ("b"),
    CONV ("a", "x") "," RELU ("r", "a") "," CONV ("b", "r"), "a+r", NULL },
  /* pointwise */
  { "pointwise", Q ("t"),
    RELU ("r", "x") "," ADD ("s", "r", "x") ","
    OP ("t", "Tanh", Q ("s"), ""), "r+s+t", NULL },
  { "pointwise-off", Q ("t"),
    RELU ("r", "x") "," OP ("t", "Tanh", Q ("r"), ""), "", "pointwise" },
  { "pointwise-int", Q ("t"),
    OP ("s", "Add", Q ("i") "," Q ("i"), "") ","
    OP ("t", "Mul", Q ("s") "," Q ("i"), ""), "s+t", NULL },
  { "pointwise-narrow", Q ("t"),
    OP ("s", "Add", Q ("s32") "," Q ("s32"), "") ","
    OP ("t", "Mul", Q ("s") "," Q ("s32"), ""), "", NULL },
  { "half-epilogue", Q ("r"), MATMUL ("a", "h", "h") "," RELU ("r", "a"), "a+r",
    NULL },
  { "half-pointwise", Q ("t"),
    ADD ("s", "h", "h") "," OP ("t", "Tanh", Q ("s"), ""), "s+t", NULL },
  { "half-widened", Q ("r"),
    OP ("b", "Cast", Q ("h"), ",\"attrs\":{\"to\":1}") "," RELU ("r", "b"), "b+r",
    NULL },
  { "half-rounds", Q ("r"),
    RELU ("a", "m") "," OP ("b", "Cast", Q ("a"), ",\"attrs\":{\"to\":10}") ","
    OP ("r", "Cast", Q ("b"), ",\"attrs\":{\"to\":1}"), "a+b", NULL },
  { "cast-to-double", Q ("r"), MATMUL ("a", "m", "n") ","
    OP ("r", "Cast", Q ("a"), ",\"attrs\":{\"to\":11}"), "a+r", NULL },
  { "next-state", Q ("r") "],\"state\":[{\"name\":\"k1\",\"shape\":[4,4],\"next\":\"a\"}",
    MATMUL ("a", "k1", "n") "," RELU ("r", "a"), "", NULL },
  { "embedding", Q ("r"),
    OP ("a", "Gather", Q ("m") "," Q ("j"), "") "," ADD ("r", "a", "m"), "a+r",
    NULL },
  { "pointwise-broadcast", Q ("t"),
    RELU ("r", "v") "," ADD ("t", "r", "m"), "", NULL },
  /* attention */
  { "attention", Q ("o"), SCORES ("a", "s") "," SOFTMAX ("p", "s") ","
    MATMUL ("o", "p", "n"), "a+s+p+o", NULL },
  { "attention-relu", Q ("r"), SCORES ("a", "s") "," SOFTMAX ("p", "s") ","
    MATMUL ("o", "p", "n") "," RELU ("r", "o"), "a+s+p+o+r", NULL },
  { "relu-attention", Q ("o"),
    RELU ("r", "m") "," MATMUL ("a", "r", "n") "," SOFTMAX ("p", "a") ","
    MATMUL ("o", "p", "n"), "r+a+p+o", NULL },
  { "attention-off", Q ("o"), SCORES ("a", "s") "," SOFTMAX ("p", "s") ","
    MATMUL ("o", "p", "n"), "a+s", "attention" },
  { "scores-read-twice", Q ("o") "," Q ("t"),
    SCORES ("a", "s") "," SOFTMAX ("p", "s") "," MATMUL ("o", "p", "n") ","
    MATMUL ("t", "s", "n"), "a+s", NULL },
  { "weights-are-output", Q ("o") "," Q ("p"),
    SCORES ("a", "s") "," SOFTMAX ("p", "s") "," MATMUL ("o", "p", "n"),
    "a+s", NULL },
  { "weights-as-weights", Q ("o"),
    SCORES ("a", "s") "," SOFTMAX ("p", "s") "," MATMUL ("o", "n", "p"),
    "a+s", NULL },
  { "scores-of-no-product", Q ("o"),
    SOFTMAX ("p", "m") "," MATMUL ("o", "p", "n"), "", NULL },
  { "mean-between", Q ("o"),
    MATMUL ("a", "m", "n") ","
    OP ("p", "ReduceMean", Q ("a"), ",\"attrs\":{\"axes\":[0]}") ","
    MATMUL ("o", "p", "n"), "", NULL },
  { "attention-twice", Q ("t"), MATMUL ("a", "m", "n") "," SOFTMAX ("p", "a") ","
    MATMUL ("o", "p", "n") "," SOFTMAX ("q", "o") "," MATMUL ("t", "q", "n"),
    "a+p+o", NULL },
  /* concat */
  { "concat-convs", Q ("u"),
    CONV ("a", "x") "," CONV ("b", "x") "," RELU ("r", "a") ","
    JOIN ("u", Q ("r") "," Q ("b")), "a+b+r+u", NULL },
  { "concat-convs-off", Q ("u"),
    CONV ("a", "x") "," CONV ("b", "x") "," RELU ("r", "a") ","
    JOIN ("u", Q ("r") "," Q ("b")), "a+r", "concat" },
  { "concat-of-all-kinds", Q ("t"),
    NORM ("n1", "x") "," CONV ("a", "n1") ","
    OP ("p", "MaxPool", Q ("x"),
        ",\"attrs\":{\"kernel_shape\":[3,3],\"pads\":[1,1,1,1]}") ","
    JOIN ("u", Q ("x") "," Q ("p") "," Q ("a")) "," RELU ("t", "u"),
    "n1+a+p+u+t", NULL },
  { "concat-of-attention", Q ("u"), SCORES ("a", "s") "," SOFTMAX ("p", "s") ","
    MATMUL ("o", "p", "n") "," JOIN ("u", Q ("o") "," Q ("m")), "a+s+p+o+u",
    NULL },
  { "concat-of-inputs", Q ("u"), JOIN ("u", Q ("x") "," Q ("x")), "", NULL },
  { "concat-part-is-output", Q ("u") "," Q ("a"),
    CONV ("a", "x") "," CONV ("b", "x") "," JOIN ("u", Q ("a") "," Q ("b")),
    "b+u", NULL },
  { "concat-part-read-twice", Q ("u"),
    CONV ("a", "x") "," RELU ("r", "a") "," JOIN ("u", Q ("r") "," Q ("a")),
    "r+u", NULL },
  { "concat-part-twice", Q ("u"),
    CONV ("a", "x") "," JOIN ("u", Q ("a") "," Q ("a")), "", NULL },
  { "concat-of-concat", Q ("y"),
    CONV ("a", "x") "," JOIN ("u", Q ("a") "," Q ("x")) "," CONV ("b", "x") ","
    JOIN ("y", Q ("u") "," Q ("b")), "a+u b+y", NULL },
  { "concat-of-view", Q ("u"),
    OP ("f", "Flatten", Q ("x"), "") "," OP ("g", "Flatten", Q ("x"), "") ","
    JOIN ("u", Q ("f") "," Q ("g")), "", NULL },
  { "concat-of-recurrences", Q ("u"),
    RNN ("a") "," RNN ("b") "," JOIN ("u", Q ("a") "," Q ("b")), "", NULL },
  { "concat-narrow", Q ("u"),
    ADD ("s", "s32", "s32") "," JOIN ("u", Q ("s") "," Q ("s32")), "s+u", NULL },
  { "concat-narrow-relu", Q ("t"),
    ADD ("s", "s32", "s32") "," JOIN ("u", Q ("s") "," Q ("s32")) ","
    OP ("t", "Abs", Q ("u"), ""), "s+u", NULL },
  { "concat-rounds", Q ("u"),
    OP ("b", "Cast", Q ("m"), ",\"attrs\":{\"to\":10}") ","
    JOIN ("u", Q ("b") "," Q ("h")), "b+u", NULL },
  { "concat-rounds-relu", Q ("t"),
    OP ("b", "Cast", Q ("m"), ",\"attrs\":{\"to\":10}") ","
    JOIN ("u", Q ("b") "," Q ("h")) "," RELU ("t", "u"), "u+t", NULL },
  { "concat-pins-apart", Q ("u"),
    OP ("r", "Relu", Q ("x"), ",\"device\":\"cpu\"") "," RELU ("t", "x") ","
    OP ("u", "Concat", Q ("r") "," Q ("t"),
        ",\"attrs\":{\"axis\":1},\"device\":\"opencl:0\""), "t+u", NULL },
  { "pins-apart", Q ("t"),
    OP ("r", "Relu", Q ("x"), ",\"device\":\"cpu\"") ","
    OP ("t", "Tanh", Q ("r"), ",\"device\":\"opencl:0\""), "", NULL },
  { "pins-meet", Q ("t"),
    OP ("r", "Relu", Q ("x"), ",\"device\":\"cpu\"") ","
    OP ("t", "Tanh", Q ("r"), ",\"device\":[\"opencl:0\",\"cpu\"]"), "r+t",
    NULL },
};

static void
assert_lowered (const TpGroups *groups, const TpGraph *graph)
{
  for (int g = 0; g < groups->n_groups; g++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpLowered) lowered
          = tp_lower_nodes (graph, groups->groups[g].nodes,
                            groups->groups[g].n_nodes, &error);

      g_assert_no_error (error);
      g_assert_true (tp_lowered_check (lowered, &error));
    }
}

static void
test_case (gconstpointer data)
{
  const FuseCase *it = data;
  const char *disabled[] = { it->disabled, NULL };
  g_autoptr (TpGraph) graph = fuse_case_load (it);
  g_autoptr (TpGraph) laid_out = tp_graph_assign_layout (graph, NULL);
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, disabled);
  g_autoptr (TpGroups) again = tp_fuse_find (laid_out, disabled);
  g_autofree char *text = fuse_case_write (groups, graph);

  g_assert_cmpstr (text, ==, it->groups);
  fuse_case_compare_all (graph);
  fuse_case_compare_all (laid_out);
  assert_lowered (groups, graph);
  assert_lowered (again, laid_out);
}

/* A kernel does not grow without end, and a long graph is no trouble. */
static void
test_long_chain (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("long", 17);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpGroups) groups = NULL;
  const TpDimSpec dims[] = { { 4, NULL } };
  const TpTensorSpec x = { "x", TPLAN_DTYPE_FLOAT32, 1, dims, "x" };
  const char *in = "x", *out = NULL;
  char names[2][24];
  int n = 100000, n_grouped = 0;

  tp_graph_builder_add_input (builder, &x, NULL);
  for (int i = 0; i < n; i++, in = out)
    {
      TpNode node = { .type = "Relu", .place = "ops" };

      g_snprintf (names[i % 2], sizeof names[0], "t%d", i);
      out = names[i % 2];
      g_assert_true (tp_graph_builder_add_node (
          builder, &node, (TpNodeNames){ 1, &in, 1, &out }, &error));
    }
  tp_graph_builder_add_output (builder, in, "outputs", NULL);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  groups = tp_fuse_find (graph, NULL);
  for (int g = 0; g < groups->n_groups; g++)
    {
      g_assert_cmpint (groups->groups[g].n_nodes, <=, 32);
      n_grouped += groups->groups[g].n_nodes;
    }
  g_assert_cmpint (n_grouped, ==, n);
  fuse_case_compare (graph, NULL);
}

/* How many ops of @a are of @b, too. */
static int
count_common (const TpGroup *a, const TpGroup *b)
{
  int n = 0;

  for (int i = 0; i < a->n_nodes; i++)
    for (int k = 0; k < b->n_nodes; k++)
      n += a->nodes[i] == b->nodes[k];
  return n;
}

/* Of two groups of one reading the later one holds the other and more, or they share
 * nothing. */
static void
check_nested (const TpGroups *all)
{
  for (int i = 0; i < all->n_groups; i++)
    for (int k = 0; k < i; k++)
      {
        int n = count_common (&all->groups[k], &all->groups[i]);

        g_assert_true (n == 0
                       || all->groups[k].is_second != all->groups[i].is_second
                       || (n == all->groups[k].n_nodes
                           && n < all->groups[i].n_nodes));
      }
}

/* Whether each of @groups is among @all. */
static gboolean
has_groups (const TpGroups *all, const TpGroups *groups)
{
  int n = 0;

  for (int i = 0; i < all->n_groups; i++)
    for (int k = 0; k < groups->n_groups; k++)
      n += all->groups[i].n_nodes == groups->groups[k].n_nodes
           && count_common (&all->groups[i], &groups->groups[k])
                  == groups->groups[k].n_nodes;
  return n == groups->n_groups;
}

/* A chain may be run in parts: what is before its contraction, and the rest; what is on
 * either side of a reduction between two. */
static void
test_parts (void)
{
  static const struct
  {
    FuseCase it;
    const char *all;
    const char *disabled;
  } parts[] = {
    { { "both", Q ("t"),
        NORM ("b", "x") "," RELU ("r", "b") "," CONV ("a", "r") ","
        RELU ("t", "a"), "b+r+a+t", NULL },
      "b+r a+t b+r+a+t", NULL },
    { { "one-before", Q ("t"),
        RELU ("r", "x") "," CONV ("a", "r") "," RELU ("t", "a"), "r+a+t",
        NULL },
      "a+t r+a+t", NULL },
    { { "none-after", Q ("a"),
        NORM ("b", "x") "," RELU ("r", "b") "," CONV ("a", "r"), "b+r+a",
        NULL },
      "b+r b+r+a", NULL },
    { { "no-pairs", Q ("t"),
        NORM ("b", "x") "," RELU ("r", "b") "," CONV ("a", "r") ","
        RELU ("t", "a"), "b+r+a+t", NULL },
      "a+t b+r+a+t", "pointwise" },
    { { "attention", Q ("e"),
        RELU ("p", "m") "," MATMUL ("a", "p", "n") "," RELU ("b", "a") ","
        OP ("s", "Softmax", Q ("b"), "") "," MATMUL ("d", "s", "n") ","
        RELU ("e", "d"), "p+a+b+s+d+e", NULL },
      "a+b p+a+b d+e p+a+b+s+d+e", NULL },
    /* a sum of two goes with the one, and by the second reading with the other */
    { { "torn", Q ("t"),
        CONV ("a", "x") "," CONV ("b", "x") "," ADD ("s", "a", "b") ","
        RELU ("t", "s"), "b+s+t", NULL },
      "b+s+t a+s+t", NULL },
    /* a rotation: what is put together, or what is not */
    { { "torn-join", Q ("o") "," Q ("z1"),
        JOIN ("z1", Q ("x") "," Q ("x")) "," RELU ("a", "z1") ","
        JOIN ("u", Q ("x") "," Q ("x")) "," RELU ("q", "u") ","
        ADD ("o", "a", "q"), "u+q+o", NULL },
      "u+q+o a+o u+q", NULL },
    /* nothing else is found where nothing is handed two values */
    { { "not-torn", Q ("b"),
        CONV ("a", "x") "," RELU ("r", "a") "," CONV ("b", "r"), "a+r", NULL },
      "a+r", NULL },
    { { "no-prologue", Q ("t"),
        CONV ("a", "x") "," RELU ("r", "a") "," RELU ("t", "r"), "a+r+t",
        NULL },
      "a+r+t", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      const char *disabled[] = { parts[i].disabled, NULL };
      g_autoptr (TpGraph) graph = fuse_case_load (&parts[i].it);
      g_autoptr (TpGroups) all = tp_fuse_find_all (graph, disabled, NULL);
      g_autofree char *text = fuse_case_write (all, graph);

      g_assert_cmpstr (text, ==, parts[i].all);
      check_nested (all);
      fuse_case_compare_all (graph);
    }
}

/* Whoever knows no times has the wholes, who knows them may choose: among what is made
 * where nothing is put together, and what is where fewer rules are. */
static void
test_all (void)
{
  const char *disabled[] = { "concat", NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpGraph) graph = fuse_case_load (&cases[i]);
      g_autoptr (TpGroups) wholes = tp_fuse_find (graph, NULL);
      g_autoptr (TpGroups) chains = tp_fuse_find (graph, disabled);
      g_autoptr (TpGroups) all = tp_fuse_find_all (graph, NULL, NULL);

      check_nested (all);
      g_assert_cmpint (tp_offer_has_wholes (all, graph), ==,
                       wholes->n_groups > 0
                           && !has_groups (chains, wholes));
      g_assert_true (has_groups (all, wholes));
      g_assert_true (has_groups (all, chains));
      g_assert_true (tp_offer_allows (all, wholes));
      g_assert_cmpint (tp_offer_allows (all, chains), ==,
                       chains->n_groups > 0 || wholes->n_groups == 0);
    }
}

/* A kernel does not grow without end, and what there is no room for is copied. */
static void
test_wide_join (void)
{
  g_autoptr (GString) ops = g_string_new (NULL);
  g_autoptr (GString) parts = g_string_new (NULL);
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpGroups) groups = NULL;

  for (int i = 0; i < 40; i++)
    {
      g_string_append_printf (ops, "{\"name\":\"r%d\",\"type\":\"Relu\",\"inputs\":"
                              "[\"x\"],\"outputs\":[\"r%d\"]},", i, i);
      g_string_append_printf (parts, "%s\"r%d\"", i > 0 ? "," : "", i);
    }
  g_string_append_printf (ops, OP ("u", "Concat", "%s",
                                   ",\"attrs\":{\"axis\":1}"), parts->str);
  graph = fuse_case_load (&(FuseCase){ .outputs = Q ("u"), .ops = ops->str });
  groups = tp_fuse_find (graph, NULL);
  g_assert_cmpint (groups->n_groups, ==, 1);
  g_assert_cmpint (groups->groups[0].n_nodes, ==, 32);
  fuse_case_compare (graph, NULL);
  assert_lowered (groups, graph);
}

static void
test_list (void)
{
  const char *const *names = tp_fuse_list ();

  g_assert_true (g_strv_contains (names, "epilogue"));
  g_assert_true (g_strv_contains (names, "prologue"));
  g_assert_true (g_strv_contains (names, "pointwise"));
  g_assert_true (g_strv_contains (names, "attention"));
  g_assert_true (g_strv_contains (names, "concat"));
  g_assert_true (g_strv_contains (tp_objective_list (), "time"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/fuse/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/fuse/long-chain", test_long_chain);
  g_test_add_func ("/fuse/all", test_all);
  g_test_add_func ("/fuse/parts", test_parts);
  g_test_add_func ("/fuse/wide-join", test_wide_join);
  g_test_add_func ("/fuse/list", test_list);
  return g_test_run ();
}
