/* test-onnx-loop.c: a Loop or Scan is the ops of its rounds. What it gives is compared
 * with the same ops written one after the other. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/graph-draft.h"
#include "graph/graph-survey.h"
#include "tests/ir/onnx-if-support.h"
#include "tests/ir/onnx-loop-support.h"
#include "tests/ir/onnx-support.h"

#include <glib/gstdio.h>

/* ---- Loop ----------------------------------------------------------------- */

/* What goes on is h = h * w + x, and each round gives a = h * w as well; w is large. */
static Msg *
loop_new (const char *condition, Msg *more)
{
  Msg *body = body_new (NAMES ("i", "c", "h"),
                        NODES (node_new ("Mul", "h", "w", "a"),
                               node_new ("Add", "a", "x", "b"), more),
                        NAMES ("more", "b", "a"));

  return node_of ("Loop", "loop", NAMES ("n", condition, "x"), NAMES ("y", "z"),
                  body);
}

static void
add_weights (Msg *graph)
{
  static const gint64 dims[] = { 2, 3 };
  Msg *tensor = tensor_new ("w", 1, 2, dims);

  for (int i = 0; i < 6; i++)
    msg_float (tensor, 4, 0.25f * (float) i - 0.5f);
  msg_take (graph, 5, tensor);
}

/* @n rounds of it. */
static Msg *
rounds_new (int n)
{
  Msg *graph = graph_new (), *join = msg_new (), *axis = attr_new ("axis", 2);
  char h[8] = "x", a[8], b[8], u[8];

  add_output (graph, "z");
  add_weights (graph);
  add_int_constant (graph, "zero", 0);
  msg_take (graph, 5, ints_new ("first", 1, (const gint64[]){ 0 }));
  for (int i = 0; i < n; i++)
    {
      g_snprintf (a, sizeof a, "a%d", i);
      g_snprintf (b, sizeof b, "b%d", i);
      g_snprintf (u, sizeof u, "u%d", i);
      msg_take (graph, 1, node_new ("Mul", h, "w", a));
      msg_take (graph, 1, node_new ("Add", a, "x", b));
      msg_take (graph, 1, node_new ("Unsqueeze", a, "first", u));
      msg_string (join, 1, u);
      g_strlcpy (h, b, sizeof h);
    }
  msg_string (join, 2, "z");
  msg_string (join, 4, "Concat");
  msg_int (axis, 3, 0);
  msg_take (join, 5, axis);
  msg_take (graph, 1, join);
  msg_take (graph, 1, node_new ("Identity", h, NULL, "y"));
  return graph;
}

static void
assert_rounds (Msg *graph, int n)
{
  g_autoptr (TpGraph) loaded = NULL, straight = load_well (rounds_new (n));
  int n_weights = 0;

  add_output (graph, "z");
  add_weights (graph);
  loaded = load_well (graph);
  assert_is (loaded, straight);
  g_assert_cmpint (count_ops (loaded, "Mul"), ==, n);
  for (int i = 0; i < loaded->n_tensors; i++)
    n_weights += tp_tensor_is_constant (&loaded->tensors[i])
                 && loaded->tensors[i].count == 6;
  g_assert_cmpint (n_weights, ==, 1);
}

static void
test_rounds (void)
{
  for (int n = 1; n < 6; n++)
    {
      Msg *graph = graph_new ();

      add_int_constant (graph, "n", n);
      msg_take (graph, 1, loop_new ("", node_new ("Identity", "c", NULL, "more")));
      assert_rounds (graph, n);
    }
}

/* More than are put together at a time. */
static void
test_many_rounds (void)
{
  static const int some[] = { 64, 65, 130 };

  for (gsize i = 0; i < G_N_ELEMENTS (some); i++)
    {
      Msg *graph = graph_new ();

      add_int_constant (graph, "n", some[i]);
      msg_take (graph, 1, loop_new ("", node_new ("Identity", "c", NULL, "more")));
      assert_rounds (graph, some[i]);
    }
}

/* It ends when a round says so, however many there might be. */
static void
test_ends (void)
{
  for (int last = 0; last < 4; last++)
    for (int is_bounded = 0; is_bounded < 2; is_bounded++)
      {
        Msg *graph = graph_new ();

        add_int_constant (graph, "last", last);
        add_int_constant (graph, "n", is_bounded ? 3 : G_MAXINT64);
        add_condition (graph, "go", TRUE_THEN);
        msg_take (graph, 1, loop_new ("go", node_new ("Less", "i", "last",
                                                      "more")));
        assert_rounds (graph, is_bounded ? MIN (last + 1, 3) : last + 1);
      }
}

/* Of no round: what would go on is what there is, what rounds would give is empty. */
static void
test_no_rounds (void)
{
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (TpGraph) graph = NULL;
      const TpTensor *z;
      Msg *inner = graph_new ();

      add_output (inner, "z");
      add_weights (inner);
      add_int_constant (inner, "n", i == 0 ? 0 : i == 1 ? -3 : 2);
      add_condition (inner, "go", i == 2 ? FALSE_THEN : TRUE_THEN);
      msg_take (inner, 1, loop_new ("go", node_new ("Identity", "c", NULL,
                                                    "more")));
      graph = load_well (inner);
      z = &graph->tensors[graph->outputs[1]];
      g_assert_cmpint (z->rank, ==, 3);
      g_assert_cmpint (z->dims[0], ==, 0);
      g_assert_cmpint (z->dims[2], ==, 3);
      g_assert_cmpint (count_ops (graph, "Mul"), ==, 0);
    }
}

/* Ops and tensors are told by loop and round. */
static void
test_names (void)
{
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new (), *loop;
  g_autoptr (GString) list = g_string_new (NULL);

  add_int_constant (inner, "n", 2);
  loop = node_of ("Loop", "again", NAMES ("n", "", "x"), NAMES ("y"),
                  body_new (NAMES ("i", "c", "h"),
                            NODES (node_of ("Relu", "act", NAMES ("h"),
                                            NAMES ("g"), NULL)),
                            NAMES ("c", "g")));
  msg_take (inner, 1, loop);
  graph = load_well (inner);
  for (int i = 0; i < graph->n_nodes; i++)
    if (strcmp (graph->nodes[i].type, "Relu") == 0)
      g_string_append_printf (
          list, "%s %s ", graph->nodes[i].name,
          graph->tensors[graph->nodes[i].outputs[0]].name);
  g_assert_cmpstr (list->str, ==,
                   "again[0]:act again[0]:g again[1]:act again[1]:g ");
}

/* Each round is of another shape. */
static void
test_grows (void)
{
  g_autoptr (TpGraph) graph = NULL, straight = NULL;
  Msg *inner = graph_new (), *wanted = graph_new (), *join;

  join = node_new ("Concat", "h", "x", "g");
  add_ints (join, "axis", 0, 0, 0);
  add_int_constant (inner, "n", 2);
  msg_take (inner, 1,
            node_of ("Loop", "loop", NAMES ("n", "", "x"), NAMES ("y"),
                     body_new (NAMES ("i", "c", "h"), NODES (join),
                               NAMES ("c", "g"))));
  graph = load_well (inner);
  join = node_new ("Concat", "x", "x", "t");
  add_ints (join, "axis", 0, 0, 0);
  msg_take (wanted, 1, join);
  join = node_new ("Concat", "t", "x", "y");
  add_ints (join, "axis", 0, 0, 0);
  msg_take (wanted, 1, join);
  straight = load_well (wanted);
  assert_is (graph, straight);
}

/* for i < 3: for j <= i: if j < 1: h = -h, else h = h * x. What is inside knows what is
 * around, and the number of rounds is that of the one around. */
static void
test_nested (void)
{
  static const char *const steps[] = { "Neg", "Neg", "Mul", "Neg", "Mul", "Mul" };
  g_autoptr (TpGraph) graph = NULL, straight = NULL;
  Msg *inner = graph_new (), *wanted = graph_new (), *deep, *loop;
  char h[8] = "x", next[8];

  deep = body_new (
      NAMES ("j", "d", "g"),
      NODES (node_new ("Less", "j", "one", "first"),
             if_new ("first",
                     branch_new (NODES (node_new ("Neg", "g", NULL, "o")), "o",
                                 NULL),
                     branch_new (NODES (node_new ("Mul", "g", "x", "o")), "o",
                                 NULL), "f")),
      NAMES ("d", "f"));
  loop = body_new (NAMES ("i", "c", "h"),
                   NODES (node_of ("Loop", "in", NAMES ("k", "", "h"),
                                   NAMES ("e"), deep),
                          node_new ("Add", "i", "one", "k")),
                   NAMES ("c", "e"));
  add_int_constant (inner, "one", 1);
  add_int_constant (inner, "n", 3);
  msg_take (inner, 1, node_of ("Loop", "out", NAMES ("n", "", "x"), NAMES ("y"),
                               loop));
  graph = load_well (inner);
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      gboolean is_last = i + 1 == G_N_ELEMENTS (steps);

      g_snprintf (next, sizeof next, is_last ? "y" : "h%d", (int) i);
      msg_take (wanted, 1, node_new (steps[i], h,
                                     *steps[i] == 'M' ? "x" : NULL, next));
      g_strlcpy (h, next, sizeof h);
    }
  straight = load_well (wanted);
  assert_is (graph, straight);
}

static Msg *
max_new (const char *input, const char *output)
{
  Msg *node = node_new ("ReduceMax", input, NULL, output);

  add_ints (node, "keepdims", 0, 0, 0);
  return node;
}

/* Two rounds of: if the greatest of h is above 2.5, -h, else h * x. Which it is only a
 * run tells, in each round anew. */
static void
test_asked (void)
{
  g_autoptr (TpGraph) graph = NULL, straight = NULL;
  Msg *inner = graph_new (), *wanted = graph_new (), *body;

  body = body_new (
      NAMES ("i", "c", "h"),
      NODES (max_new ("h", "m"), node_new ("Greater", "m", "most", "d"),
             if_new ("d",
                     branch_new (NODES (node_new ("Neg", "h", NULL, "o")), "o",
                                 NULL),
                     branch_new (NODES (node_new ("Mul", "h", "x", "o")), "o",
                                 NULL), "f")),
      NAMES ("c", "f"));
  msg_take (inner, 5, float_new ("most", 2.5f));
  add_int_constant (inner, "n", 2);
  msg_take (inner, 1, node_of ("Loop", "loop", NAMES ("n", "", "x"), NAMES ("y"),
                               body));
  graph = load_well (inner);
  g_assert_cmpint (count_ops (graph, "Where"), ==, 2);
  msg_take (wanted, 1, node_new ("Neg", "x", NULL, "t"));
  msg_take (wanted, 1, node_new ("Mul", "t", "x", "y"));
  straight = load_well (wanted);
  assert_is (graph, straight);
}

/* A trip count that is an input is known by --value. */
static void
test_bound (void)
{
  static const gint64 one[] = { 1 };
  static const char *const numbers[] = { "n=4", NULL };
  g_autoptr (TpGraph) graph = NULL, straight = load_well (rounds_new (4));
  g_autoptr (GBytes) bytes = NULL;
  const TpLoadOptions options = { .numbers = numbers };
  g_autoptr (GError) error = NULL;
  g_autoptr (Msg) model = NULL;
  Msg *inner = graph_new (), *value = value_new ("n", 1, one), *cast;

  msg_take (inner, 11, value);
  add_output (inner, "z");
  add_weights (inner);
  cast = node_new ("Cast", "n", NULL, "m");
  add_ints (cast, "to", 0, 7, 0);
  msg_take (inner, 1, cast);
  msg_take (inner, 1,
            node_of ("Loop", "loop", NAMES ("m", "", "x"), NAMES ("y", "z"),
                     body_new (NAMES ("i", "c", "h"),
                               NODES (node_new ("Mul", "h", "w", "a"),
                                      node_new ("Add", "a", "x", "b")),
                               NAMES ("c", "b", "a"))));
  model = model_new (inner);
  bytes = g_bytes_new (model->data, model->len);
  graph = tp_graph_read_onnx ("m.onnx", bytes, &options, &error);
  g_assert_no_error (error);
  assert_is (graph, straight);
  g_clear_pointer (&graph, tp_graph_unref);
  graph = tp_graph_load_onnx ("m.onnx", bytes, NULL, &error);
  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "op 'loop' (Loop): its trip count 'm' is "
                            "not known before a run: it hangs on what input 'n' "
                            "holds: give that, as with --value n=8"));
}

/* ---- Scan ------------------------------------------------------------------- */

/* s = s + e of the elements of x, from either end, along either dimension; each round
 * gives s * e. */
static TpGraph *
scan_new (int axis, gboolean is_backward, int out_axis, gboolean out_backward)
{
  Msg *graph = graph_new (), *scan, *start;

  add_output (graph, "z");
  scan = node_of ("Scan", "scan", NAMES ("s0", "x"), NAMES ("y", "z"),
                  body_new (NAMES ("s", "e"),
                            NODES (node_new ("Add", "s", "e", "t"),
                                   node_new ("Mul", "t", "e", "g")),
                            NAMES ("t", "g")));
  add_ints (scan, "num_scan_inputs", 0, 1, 0);
  add_ints (scan, "scan_input_axes", 1, axis, 0);
  add_ints (scan, "scan_input_directions", 1, is_backward, 0);
  add_ints (scan, "scan_output_axes", 1, out_axis, 0);
  add_ints (scan, "scan_output_directions", 1, out_backward, 0);
  start = float_new ("s0", 0.5f);
  msg_take (graph, 5, start);
  msg_take (graph, 1, scan);
  return load_well (graph);
}

static void
add_step (Msg *graph, int axis, int i, int step)
{
  g_autofree char *at = g_strdup_printf ("at%d", step);
  g_autofree char *e = g_strdup_printf ("e%d", step);
  g_autofree char *s = step == 0 ? g_strdup ("s0")
                                 : g_strdup_printf ("t%d", step - 1);
  g_autofree char *t = g_strdup_printf ("t%d", step);
  g_autofree char *g = g_strdup_printf ("g%d", step);
  g_autofree char *u = g_strdup_printf ("u%d", step);
  Msg *gather = node_new ("Gather", "x", at, e);

  add_int_constant (graph, at, i);
  add_ints (gather, "axis", 0, axis, 0);
  msg_take (graph, 1, gather);
  msg_take (graph, 1, node_new ("Add", s, e, t));
  msg_take (graph, 1, node_new ("Mul", t, e, g));
  msg_take (graph, 1, node_new ("Unsqueeze", g, "where", u));
}

static TpGraph *
scan_straight_new (int axis, gboolean is_backward, int out_axis,
                   gboolean out_backward)
{
  int n = axis % 2 == 0 ? 2 : 3;
  Msg *graph = graph_new (), *join = msg_new ();
  g_autofree char *last = g_strdup_printf ("t%d", n - 1);

  add_output (graph, "z");
  msg_take (graph, 5, float_new ("s0", 0.5f));
  msg_take (graph, 5, ints_new ("where", 1, (const gint64[]){ out_axis }));
  for (int i = 0; i < n; i++)
    {
      g_autofree char *u = g_strdup_printf ("u%d", out_backward ? n - 1 - i : i);

      add_step (graph, axis, is_backward ? n - 1 - i : i, i);
      msg_string (join, 1, u);
    }
  msg_string (join, 2, "z");
  msg_string (join, 4, "Concat");
  add_ints (join, "axis", 0, out_axis, 0);
  msg_take (graph, 1, join);
  msg_take (graph, 1, node_new ("Identity", last, NULL, "y"));
  return load_well (graph);
}

static void
test_scan (void)
{
  static const int axes[] = { 0, 1, -2, -1 };

  for (int i = 0; i < 4 * 4 * 2 * 2; i++)
    {
      int axis = axes[i % 4], out_axis = axes[i / 4 % 4];
      gboolean is_backward = i / 16 % 2, out_backward = i / 32;
      g_autoptr (TpGraph) graph
          = scan_new (axis, is_backward, out_axis, out_backward);
      g_autoptr (TpGraph) straight
          = scan_straight_new (axis, is_backward, out_axis, out_backward);

      assert_is (graph, straight);
    }
}

/* ---- what else reads a graph ------------------------------------------------ */

/* A model that cannot be planned, and one that can: what is amiss is told of the op
 * that has the body. */
static void
test_survey (void)
{
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  g_autofree char *path = g_build_filename (folder, "m.onnx", NULL);
  const TpLoadOptions options = { .keep_unknown_attrs = TRUE };

  for (int is_known = 0; is_known < 2; is_known++)
    {
      g_autoptr (TpGraphBuilder) builder = NULL;
      g_autoptr (TpGraph) graph = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (Msg) model = NULL;
      g_auto (TpSurvey) survey = { 0 };
      Msg *inner = graph_new ();

      add_int_constant (inner, "n", 3);
      add_condition (inner, "go", is_known ? TRUE_THEN : ASKED);
      add_weights (inner);
      msg_take (inner, 1, loop_new ("go", node_new ("Identity", "c", NULL,
                                                    "more")));
      model = model_new (inner);
      g_assert_true (g_file_set_contents (path, (const char *) model->data,
                                          model->len, NULL));
      builder = tp_graph_open (path, &options, &error);
      g_assert_no_error (error);
      tp_survey_init (&survey);
      graph = tp_graph_survey (builder, NULL, &survey, &error);
      g_assert_no_error (error);
      g_assert_cmpint (g_hash_table_size (survey.problems), ==, !is_known);
      g_assert_cmpint (count_ops (graph, "Mul"), ==, is_known ? 3 : 0);
      g_assert_cmpint (count_ops (graph, "Loop"), ==, !is_known);
    }
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-loop/rounds", test_rounds);
  g_test_add_func ("/onnx-loop/many-rounds", test_many_rounds);
  g_test_add_func ("/onnx-loop/ends", test_ends);
  g_test_add_func ("/onnx-loop/no-rounds", test_no_rounds);
  g_test_add_func ("/onnx-loop/names", test_names);
  g_test_add_func ("/onnx-loop/grows", test_grows);
  g_test_add_func ("/onnx-loop/nested", test_nested);
  g_test_add_func ("/onnx-loop/asked", test_asked);
  g_test_add_func ("/onnx-loop/bound", test_bound);
  g_test_add_func ("/onnx-loop/scan", test_scan);
  g_test_add_func ("/onnx-loop/survey", test_survey);
  return g_test_run ();
}
