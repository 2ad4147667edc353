/* test-like.c: nodes said to be lowered alike are; those that differ in anything
 * that lowering looks at are not. */
#include "config.h"

#include "nest/nest-text.h"
#include "op-support.h"
#include "ops/like.h"
#include "ops/lower.h"

#include <string.h>

static const struct
{
  int opset;
  const char *text;
} cases[] = {
#include "op-cases.inc"
};

/* ---- what is alike is ---------------------------------------------------- */

/* @text with another name for each tensor. */
static void
append_renamed (GString *out, const char *text, int number)
{
  g_auto (GStrv) lines = g_strsplit (text, ";", -1);

  for (int i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], " ", -1);
      gboolean is_op = strstr (lines[i], "->") != NULL;

      for (int k = 0; words[k] != NULL; k++)
        {
          gboolean is_name = is_op ? k > 0 && strcmp (words[k], "->") != 0
                                         && strcmp (words[k], "_") != 0
                                         && strchr (words[k], '=') == NULL
                                   : k == 1;

          g_string_append_printf (out, "%s%s", k > 0 ? " " : "", words[k]);
          if (is_name)
            g_string_append_printf (out, ".%d", number);
        }
      g_string_append_c (out, ';');
    }
}

/* All cases of @opset as one graph, each twice; ops are named by their first
 * outputs here. */
static TpGraph *
load_cases (int opset)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  TpGraph *graph = NULL;

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    if (cases[i % G_N_ELEMENTS (cases)].opset == opset
        && strstr (cases[i % G_N_ELEMENTS (cases)].text, "-> _") == NULL)
      append_renamed (text, cases[i % G_N_ELEMENTS (cases)].text, (int) i);
  if (text->len == 0)
    return NULL;
  g_string_truncate (text, text->len - 1);
  graph = test_graph_new (opset, text->str, &error);
  g_assert_no_error (error);
  return graph;
}

static void
check_alike (const TpGraph *graph, int a, int b)
{
  g_autoptr (TpLowered) one = tp_lower_nodes (graph, &a, 1, NULL);
  g_autoptr (TpLowered) other = tp_lower_nodes (graph, &b, 1, NULL);
  g_autofree char *text = NULL, *other_text = NULL;

  g_assert_true ((one == NULL) == (other == NULL));
  if (one == NULL)
    return;
  text = tp_lowered_to_text (one);
  other_text = tp_lowered_to_text (other);
  g_assert_cmpstr (text, ==, other_text);
  g_assert_cmpint (one->n_operands, ==, other->n_operands);
  for (int i = 0; i < one->n_operands; i++)
    g_assert_cmpint (one->operands[i].is_constant, ==,
                     other->operands[i].is_constant);
}

static void
test_cases (gconstpointer data)
{
  TestLayout layout = GPOINTER_TO_INT (data);
  int n_alike = 0, n_nodes = 0;

  for (int opset = 1; opset < 30; opset++)
    {
      g_autoptr (TpGraph) graph = load_cases (opset);
      g_autofree int *like = NULL;

      if (graph == NULL)
        continue;
      test_graph_set_layout (graph, layout);
      like = tp_lower_find_like (graph, NULL);
      for (int i = 0; i < graph->n_nodes; i++)
        {
          g_assert_cmpint (like[i], <=, i);
          g_assert_cmpint (like[like[i]], ==, like[i]);
          if (like[i] < i)
            check_alike (graph, like[i], i);
          n_alike += like[i] < i;
        }
      n_nodes += graph->n_nodes;
    }
  /* of two copies short constants differ, and all strides where these are drawn */
  g_assert_cmpint (n_alike, >,
                   layout == TEST_LAYOUT_SHUFFLED ? 0 : n_nodes / 4);
}

/* ---- what differs is not ------------------------------------------------- */

static const struct
{
  const char *text;           /* of two nodes */
  gboolean is_alike;
} pairs[] = {
  { "in x 2 3;in y 2 3;Relu x -> a;Relu y -> b", TRUE },
  { "in x 2 3;in y 2 3;Relu x -> a;Abs y -> b", FALSE },
  { "in x 2 3;in y 3 2;Relu x -> a;Relu y -> b", FALSE },
  { "in x 2 3;int64 y 2 3;Neg x -> a;Neg y -> b", FALSE },
  { "in x 2 3;in y 2 3;Add x x -> a;Add x y -> b", FALSE },
  { "in x 2 3;in y 2 3;Add x y -> a;Add y x -> b", TRUE },
  { "in x 2 3;in z 2 3;const y 2 3;Add z x -> a;Add z y -> b", FALSE },
  { "in x 2 3;LeakyRelu x -> a alpha=0.3;LeakyRelu x -> b alpha=0.4", FALSE },
  { "in x 2 3;LeakyRelu x -> a alpha=0.3;LeakyRelu x -> b alpha=0.3", TRUE },
  { "in x 2 3;scalar s 2;scalar t 3;Mul x s -> a;Mul x t -> b", FALSE },
  { "in x 2 3;scalar s 2;scalar t 2;Mul x s -> a;Mul x t -> b", TRUE },
  { "in x 4 40;const v 40 40;const w 40 40;MatMul x v -> a;MatMul x w -> b",
    TRUE },
  { "in x 4 40;const v 40 40;MatMul x v -> a;in w 40 40;MatMul x w -> b",
    FALSE },
  { "in x 4 5;ints s 0;ints t 1;ReduceSum x s -> a;ReduceSum x t -> b", FALSE },
  { "in x 4 5;ints s 1;ints t 1;ReduceSum x s -> a;ReduceSum x t -> b", TRUE },
  { "int64 x 4;ints s 9007199254740992;ints t 9007199254740993;"
    "Add x s -> a;Add x t -> b", FALSE },
  { "in x 1 3 8 8;MaxPool x -> a kernel_shape=2,2;"
    "MaxPool x -> b kernel_shape=3,3", FALSE },
  { "in x 4 6;Split x -> a c axis=1;Split x -> b _ axis=1", FALSE },
  /* what is read more than once is no part of a group */
  { "in x 2 3;Relu x -> a;Neg a -> c;Relu x -> b;Neg b -> d;Exp b -> e",
    FALSE },
};

static void
test_pairs (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (17, pairs[i].text, &error);
      g_autofree int *like = NULL;
      int a = -1, b = -1;

      g_assert_no_error (error);
      like = tp_lower_find_like (graph, NULL);
      for (int k = 0; k < graph->n_nodes; k++)
        {
          const char *name
              = graph->tensors[graph->nodes[k].outputs[0]].name;

          a = strcmp (name, "a") == 0 ? k : a;
          b = strcmp (name, "b") == 0 ? k : b;
        }
      if (a < 0 || b < 0 || (like[a] == like[b]) != pairs[i].is_alike)
        g_error ("%s", pairs[i].text);
    }
}

/* What a pass has found of the sums of one is in its kernel. */
static void
test_small_sums (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, "int8 x 4 8;int8 w 8 4;MatMulInteger x w -> a;MatMulInteger x w -> b",
      &error);
  g_autofree int *like = NULL;

  g_assert_no_error (error);
  graph->nodes[1].has_small_sums = TRUE;
  like = tp_lower_find_like (graph, NULL);
  g_assert_cmpint (like[1], ==, 1);
}

/* A group is one of its own kind, whatever its first node is like. */
static void
test_groups (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, "in x 2 3;Relu x -> a;Neg a -> b;Relu b -> c;Neg c -> d;Exp d -> e",
      &error);
  g_autoptr (TpGroups) groups = tp_groups_new ();
  g_autofree int *like = NULL;

  g_assert_no_error (error);
  tp_groups_add (groups, (const int[]) { 0, 1 }, 2);
  tp_groups_add (groups, (const int[]) { 2, 3 }, 2);
  tp_groups_add (groups, (const int[]) { 3, 4 }, 2);
  like = tp_lower_find_like (graph, groups);
  g_assert_cmpint (like[2], ==, 0);
  g_assert_cmpint (like[5], ==, 5);
  g_assert_cmpint (like[6], ==, 5);
  g_assert_cmpint (like[7], ==, 7);
}

/* Of two groups, of the first two ops and of the next. */
static const struct
{
  const char *text;
  gboolean is_alike;
} group_pairs[] = {
  { "in x 2 3;in y 2 3;Relu x -> a;Add a y -> b;Relu x -> c;Add c y -> d", TRUE },
  { "in x 2 3;in y 2 3;Relu x -> a;Add a y -> b;Relu y -> c;Add c x -> d", TRUE },
  /* the same ops, but another of their tensors is one */
  { "in x 2 3;in y 2 3;Relu x -> a;Add a y -> b;Relu x -> c;Add c x -> d;"
    "Abs y -> e", FALSE },
  { "in x 2 3;in y 2 3;Relu x -> a;Add a y -> b;Relu x -> c;Add y c -> d",
    FALSE },
  { "in x 2 3;in y 2 3;Relu x -> a;Add a y -> b;Relu x -> c;Sub c y -> d",
    FALSE },
  { "in x 2 3;in y 2 3;Add x y -> a;Mul a x -> b;Add x y -> c;Mul c y -> d",
    FALSE },
  { "in x 2 3;in y 2 3;Add x y -> a;Mul a x -> b;Add y x -> c;Mul c y -> d",
    TRUE },
};

static void
test_group_pairs (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (group_pairs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph
          = test_graph_new (17, group_pairs[i].text, &error);
      g_autoptr (TpGroups) groups = tp_groups_new ();
      g_autofree int *like = NULL;

      g_assert_no_error (error);
      tp_groups_add (groups, (const int[]) { 0, 1 }, 2);
      tp_groups_add (groups, (const int[]) { 2, 3 }, 2);
      like = tp_lower_find_like (graph, groups);
      if ((like[graph->n_nodes + 1] == graph->n_nodes) != group_pairs[i].is_alike)
        g_error ("%s", group_pairs[i].text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/like/cases", GINT_TO_POINTER (TEST_LAYOUT_ROW_MAJOR),
                        test_cases);
  g_test_add_data_func ("/like/cases-channels-last",
                        GINT_TO_POINTER (TEST_LAYOUT_CHANNELS_LAST),
                        test_cases);
  g_test_add_data_func ("/like/cases-shuffled",
                        GINT_TO_POINTER (TEST_LAYOUT_SHUFFLED), test_cases);
  g_test_add_func ("/like/pairs", test_pairs);
  g_test_add_func ("/like/small-sums", test_small_sums);
  g_test_add_func ("/like/groups", test_groups);
  g_test_add_func ("/like/group-pairs", test_group_pairs);
  return g_test_run ();
}
