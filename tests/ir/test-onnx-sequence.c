/* test-onnx-sequence.c: a sequence is a list of tensors while a model is read, and what
 * is optional is there or not. What is made of them is compared with the same without
 * any. */
#include "config.h"

#include "tests/ir/onnx-if-support.h"
#include "tests/ir/onnx-loop-support.h"
#include "tests/ir/onnx-support.h"

/* Ops on sequences of numbers, and what each is: drawn again and again. */
typedef struct
{
  Msg *graph;
  GArray *items;              /* int: the number of each element */
  int n_names;
  char last[16];              /* the sequence */
} Sequence;

static void
add_position (Sequence *self, Msg *node, int position)
{
  g_autofree char *name = g_strdup_printf ("p%d", self->n_names);

  add_int_constant (self->graph, name, position);
  msg_string (node, 1, name);
}

/* At @position, or (is_last) the end, without saying so. */
static void
insert_number (Sequence *self, int position, gboolean is_last)
{
  g_autofree char *number = g_strdup_printf ("v%d", self->n_names);
  g_autofree char *next = g_strdup_printf ("s%d", self->n_names);
  Msg *node = msg_new ();
  int n = (int) self->items->len, at = is_last ? n : (position + n) % n;

  at = !is_last && position >= 0 ? position : at;
  msg_take (self->graph, 5, float_new (number, (float) self->n_names));
  msg_string (node, 1, self->last);
  msg_string (node, 1, number);
  if (!is_last)
    add_position (self, node, position);
  msg_string (node, 2, next);
  msg_string (node, 4, "SequenceInsert");
  msg_take (self->graph, 1, node);
  g_array_insert_val (self->items, at, self->n_names);
  g_strlcpy (self->last, next, sizeof self->last);
  self->n_names++;
}

static void
erase_number (Sequence *self, int position)
{
  g_autofree char *next = g_strdup_printf ("s%d", self->n_names);
  Msg *node = msg_new ();
  int n = (int) self->items->len;

  msg_string (node, 1, self->last);
  add_position (self, node, position);
  msg_string (node, 2, next);
  msg_string (node, 4, "SequenceErase");
  msg_take (self->graph, 1, node);
  g_array_remove_index (self->items, position < 0 ? position + n : position);
  g_strlcpy (self->last, next, sizeof self->last);
  self->n_names++;
}

static void
change_sequence (Sequence *self)
{
  int n = (int) self->items->len;

  if (n > 1 && g_test_rand_int_range (0, 3) == 0)
    erase_number (self, g_test_rand_int_range (-n, n));
  else
    insert_number (self, n == 0 ? 0 : g_test_rand_int_range (-n, n + 1),
                   n == 0 || g_test_rand_bit ());
}

/* y = x * the element at some place, and z = x * how many there are. */
static void
end_sequence (Sequence *self, int at)
{
  Msg *node = node_new ("SequenceAt", self->last, NULL, "item"), *cast;

  add_position (self, node, at);
  msg_take (self->graph, 1, node);
  msg_take (self->graph, 1, node_new ("Mul", "x", "item", "y"));
  msg_take (self->graph, 1, node_new ("SequenceLength", self->last, NULL, "n"));
  cast = node_new ("Cast", "n", NULL, "m");
  add_ints (cast, "to", 0, 1, 0);
  msg_take (self->graph, 1, cast);
  msg_take (self->graph, 1, node_new ("Mul", "x", "m", "z"));
  add_output (self->graph, "z");
}

static void
test_sequence (void)
{
  for (int i = 0; i < 100; i++)
    {
      g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (int));
      Sequence self = { graph_new (), items, 1, "s0" };
      g_autoptr (TpGraph) graph = NULL, straight = NULL;
      Msg *wanted = graph_new ();
      int at, n;

      msg_take (self.graph, 1, node_new ("SequenceEmpty", NULL, NULL, "s0"));
      n = g_test_rand_int_range (1, 12);
      for (int k = 0; k < n; k++)
        change_sequence (&self);
      at = g_test_rand_int_range (0, (int) items->len);
      end_sequence (&self, at - (g_test_rand_bit () ? (int) items->len : 0));
      graph = load_well (self.graph);
      add_output (wanted, "z");
      msg_take (wanted, 5,
                float_new ("a", (float) g_array_index (items, int, at)));
      msg_take (wanted, 5, float_new ("b", (float) items->len));
      msg_take (wanted, 1, node_new ("Mul", "x", "a", "y"));
      msg_take (wanted, 1, node_new ("Mul", "x", "b", "z"));
      straight = load_well (wanted);
      assert_is (graph, straight);
    }
}

/* x in parts along either dimension, as they are and put together again. */
static void
test_parts (void)
{
  for (int i = 0; i < 4; i++)
    {
      g_autoptr (TpGraph) graph = NULL, straight = NULL;
      int axis = i % 2, keeps = i / 2;
      Msg *inner = graph_new (), *wanted = graph_new ();
      Msg *split = node_new ("SplitToSequence", "x", NULL, "s");
      Msg *join = node_new ("ConcatFromSequence", "s", NULL, "y");

      add_ints (split, "axis", 0, axis, 0);
      add_ints (split, "keepdims", 0, keeps, 0);
      add_ints (join, "axis", 0, axis - 2, 0);
      add_ints (join, "new_axis", 0, !keeps, 0);
      msg_take (inner, 1, split);
      msg_take (inner, 1, join);
      graph = load_well (inner);
      g_assert_cmpint (count_ops (graph, "Concat"), ==, 1);
      msg_take (wanted, 1, node_new ("Identity", "x", NULL, "y"));
      straight = load_well (wanted);
      assert_is (graph, straight);
    }
}

/* -(part + w) of each part of x. */
static void
test_map (void)
{
  g_autoptr (TpGraph) graph = NULL, straight = NULL;
  Msg *inner = graph_new (), *wanted = graph_new ();
  Msg *join = node_new ("ConcatFromSequence", "t", NULL, "y");

  add_ints (join, "axis", 0, 0, 0);
  msg_take (inner, 5, float_new ("w", 2));
  msg_take (inner, 1, node_new ("SplitToSequence", "x", NULL, "s"));
  msg_take (inner, 1,
            node_of ("SequenceMap", "map", NAMES ("s", "w"), NAMES ("t"),
                     body_new (NAMES ("part", "more"),
                               NODES (node_new ("Add", "part", "more", "a"),
                                      node_new ("Neg", "a", NULL, "b")),
                               NAMES ("b"))));
  msg_take (inner, 1, join);
  graph = load_well (inner);
  g_assert_cmpint (count_ops (graph, "Neg"), ==, 2);
  msg_take (wanted, 5, float_new ("w", 2));
  msg_take (wanted, 1, node_new ("Add", "x", "w", "a"));
  msg_take (wanted, 1, node_new ("Neg", "a", NULL, "y"));
  straight = load_well (wanted);
  assert_is (graph, straight);
}

/* What is there is taken, else -x. */
static void
test_optional (void)
{
  for (int is_there = 0; is_there < 2; is_there++)
    {
      g_autoptr (TpGraph) graph = NULL, straight = NULL;
      Msg *inner = graph_new (), *wanted = graph_new ();
      Msg *yes = branch_new (NODES (node_new ("OptionalGetElement", "o", NULL, "e")),
                             "e", NULL);
      Msg *no = branch_new (NODES (node_new ("Neg", "x", NULL, "e")), "e", NULL);

      msg_take (inner, 1, node_new ("Optional", is_there ? "x" : NULL, NULL, "o"));
      msg_take (inner, 1, node_new ("OptionalHasElement", "o", NULL, "c"));
      msg_take (inner, 1, if_new ("c", yes, no, "y"));
      graph = load_well (inner);
      msg_take (wanted, 1, node_new (is_there ? "Identity" : "Neg", "x", NULL, "y"));
      straight = load_well (wanted);
      assert_is (graph, straight);
    }
}

/* A graph gives each element, by a name of its own, and no sequence. */
static void
test_outputs (void)
{
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new ();

  add_output (inner, "seq");
  msg_take (inner, 1, node_new ("Relu", "x", NULL, "y"));
  msg_take (inner, 1, node_new ("SequenceConstruct", "y", "x", "seq"));
  graph = load_well (inner);
  g_assert_cmpint (graph->n_outputs, ==, 3);
  g_assert_cmpstr (graph->tensors[graph->outputs[1]].name, ==, "seq[0]");
  g_assert_cmpstr (graph->tensors[graph->outputs[2]].name, ==, "seq[1]");
}

/* Whichever branch is taken, and where that is not known, element by element. */
static void
test_if_sequence (void)
{
  for (Known known = ASKED; known <= TRUE_THEN; known++)
    {
      g_autoptr (TpGraph) graph = NULL;
      Msg *inner = graph_new (), *join = node_new ("ConcatFromSequence", "s", NULL,
                                                   "y");
      Msg *yes = branch_new (NODES (node_new ("SequenceConstruct", "x", "x", "o")),
                             "o", NULL);
      Msg *no = branch_new (NODES (node_new ("Neg", "x", NULL, "t"),
                                   node_new ("SequenceConstruct", "t", "x", "o")),
                            "o", NULL);

      add_ints (join, "axis", 0, 0, 0);
      add_condition (inner, "c", known);
      msg_take (inner, 1, if_new ("c", yes, no, "s"));
      msg_take (inner, 1, join);
      graph = load_well (inner);
      g_assert_cmpint (graph->tensors[graph->outputs[0]].dims[0], ==, 4);
      g_assert_cmpint (count_ops (graph, "Where"), ==, known == ASKED ? 2 : 0);
      g_assert_cmpint (count_ops (graph, "Neg"), ==, known != TRUE_THEN);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-sequence/drawn", test_sequence);
  g_test_add_func ("/onnx-sequence/parts", test_parts);
  g_test_add_func ("/onnx-sequence/map", test_map);
  g_test_add_func ("/onnx-sequence/optional", test_optional);
  g_test_add_func ("/onnx-sequence/outputs", test_outputs);
  g_test_add_func ("/onnx-sequence/if", test_if_sequence);
  return g_test_run ();
}
