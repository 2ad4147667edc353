/* test-onnx-if.c: an If is the branch that is taken, or both and a choice. What it
 * gives is compared with that of the branch written without an If. */
#include "config.h"

#include "format/graph-load.h"
#include "graph/graph-draft.h"
#include "graph/graph-reopen.h"
#include "graph/graph-survey.h"
#include "graph/pass.h"
#include "ops/reference.h"
#include "tests/ir/onnx-if-support.h"
#include "tests/ir/onnx-support.h"

#include <glib/gstdio.h>
#include <string.h>

#define N_X 6

static const double x_values[N_X] = { -2, -1, -0.5, 0.25, 1, 3 };

/* ---- what they give ------------------------------------------------------ */

/* @flags: of inputs that are conditions, in their order. */
static GPtrArray *
run (const TpGraph *graph, const double *flags)
{
  const double *inputs[4];
  g_autoptr (GError) error = NULL;
  GPtrArray *results;
  int n = 0;

  g_assert_cmpint (graph->n_inputs, <=, 4);
  for (int i = 0; i < graph->n_inputs; i++)
    inputs[i] = graph->tensors[graph->inputs[i]].dtype == TPLAN_DTYPE_BOOL
                    ? &flags[n++]
                    : x_values;
  results = tp_graph_run_reference (graph, inputs, FALSE, &error);
  g_assert_no_error (error);
  return results;
}

/* As it is read, and as it is planned. */
static void
assert_gives (const TpGraph *graph, const double *flags,
              const TpGraph *straight)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) ready = tp_graph_prepare (graph, &error);
  g_autoptr (GPtrArray) want = run (straight, flags), have = run (graph, flags);
  g_autoptr (GPtrArray) planned = NULL;

  g_assert_no_error (error);
  planned = run (ready, flags);
  g_assert_cmpint (graph->n_outputs, ==, straight->n_outputs);
  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *y = &straight->tensors[straight->outputs[i]];
      gsize size = y->count * sizeof (double);

      g_assert_cmpint (graph->tensors[graph->outputs[i]].count, ==, y->count);
      g_assert_cmpmem (have->pdata[i], size, want->pdata[i], size);
      g_assert_cmpmem (planned->pdata[i], size, want->pdata[i], size);
    }
}

static int
count (const TpGraph *graph, const char *type)
{
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += strcmp (graph->nodes[i].type, type) == 0;
  return n;
}

/* Every tensor is one that the graph has use for, and has a shape. */
static gboolean
has_whole_tensors (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].rank < 0)
      return FALSE;
  for (int i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].branch != 0)
      return FALSE;
  return TRUE;
}

/* ---- one If -------------------------------------------------------------- */

static TpGraph *
straight_new (gboolean value)
{
  Msg *graph = graph_new ();

  if (value)
    {
      msg_take (graph, 1, node_new ("Relu", "x", NULL, "t"));
      msg_take (graph, 1, node_new ("Neg", "t", NULL, "y"));
      return load_well (graph);
    }
  msg_take (graph, 5, float_new ("w", 3));
  msg_take (graph, 1, node_new ("Mul", "x", "x", "t"));
  msg_take (graph, 1, node_new ("Add", "t", "w", "y"));
  return load_well (graph);
}

static void
test_asked (void)
{
  g_autoptr (TpGraph) graph = NULL;
  Msg *inner = graph_new ();

  add_condition (inner, "c", ASKED);
  msg_take (inner, 1, if_new ("c", yes_new (), no_new (), "y"));
  graph = load_well (inner);
  g_assert_cmpint (graph->n_nodes, ==, 5);
  g_assert_cmpint (count (graph, "Where"), ==, 1);
  g_assert_true (has_whole_tensors (graph));
  for (int value = 0; value < 2; value++)
    {
      g_autoptr (TpGraph) straight = straight_new (value);
      const double flag = value;

      assert_gives (graph, &flag, straight);
    }
}

/* A condition that is computed from the input is not known either. */
static void
test_computed (void)
{
  for (int value = 0; value < 2; value++)
    {
      g_autoptr (TpGraph) graph = NULL, straight = straight_new (value);
      Msg *inner = graph_new (), *sum = node_new ("ReduceMax", "x", NULL, "m");
      Msg *keep = attr_new ("keepdims", 2);

      msg_int (keep, 3, 0);
      msg_take (sum, 5, keep);
      msg_take (inner, 5, float_new ("least", value ? 2.5f : 3.5f));
      msg_take (inner, 1, sum);
      msg_take (inner, 1, node_new ("Greater", "m", "least", "c"));
      msg_take (inner, 1, if_new ("c", yes_new (), no_new (), "y"));
      graph = load_well (inner);
      assert_gives (graph, NULL, straight);
    }
}

/* The branch is there as if nothing else had been written. */
static void
test_constant (void)
{
  for (int value = 0; value < 2; value++)
    {
      g_autoptr (TpGraph) graph = NULL, straight = straight_new (value);
      g_autoptr (TpGraph) ready = NULL;
      g_autoptr (GError) error = NULL;
      Msg *inner = graph_new ();

      add_condition (inner, "c", value ? TRUE_THEN : FALSE_THEN);
      msg_take (inner, 1, if_new ("c", yes_new (), no_new (), "y"));
      graph = load_well (inner);
      g_assert_true (has_whole_tensors (graph));
      ready = tp_graph_prepare (graph, &error);
      g_assert_no_error (error);
      g_assert_cmpint (ready->n_nodes, ==, 2);
      g_assert_cmpint (count (ready, value ? "Relu" : "Mul"), ==, 1);
      assert_gives (graph, NULL, straight);
    }
}

/* Nobody asks what an op in the other branch is. */
static void
test_unknown_op (void)
{
  for (int value = 0; value < 2; value++)
    {
      Msg *inner = graph_new ();
      Msg *odd = branch_new (NODES (node_new ("Odd", "x", NULL, "o")), "o", NULL);

      add_condition (inner, "c", value ? TRUE_THEN : FALSE_THEN);
      msg_take (inner, 1, if_new ("c", odd, no_new (), "y"));
      if (value)
        assert_fails (inner, TPLAN_ERROR_UNSUPPORTED,
                      "m.onnx: graph.node?0?.attribute?1?.g.node?0?: unknown op "
                      "type 'Odd'*running it");
      else
        {
          g_autoptr (TpGraph) graph = load_well (inner);
          g_autoptr (TpGraph) straight = straight_new (FALSE);

          assert_gives (graph, NULL, straight);
        }
    }
}

/* What torch's exporter makes of squeeze (0), where N may be 1; @is_nested: within
 * another If that asks for less. */
static Msg *
squeeze_new (gboolean is_nested)
{
  static const gint64 dims[] = { -1, 3 }, zero[] = { 0 }, one[] = { 1 };
  Msg *graph = msg_new (), *yes;

  msg_string (graph, 2, "g");
  msg_take (graph, 11, value_new ("x", 2, dims));
  msg_take (graph, 12, value_new ("y", 0, NULL));
  msg_take (graph, 5, ints_new ("zero", 1, zero));
  msg_take (graph, 5, ints_new ("one", 1, one));
  add_condition (graph, "always", TRUE_THEN);
  yes = branch_new (NODES (node_new ("Squeeze", "x", "zero", "o")), "o", NULL);
  if (is_nested)
    yes = branch_new (NODES (if_new ("always", yes, branch_new (NULL, "x", NULL),
                                     "o")), "o", NULL);
  msg_take (graph, 1,
            if_new ("c", yes,
                    branch_new (NODES (node_new ("Identity", "x", NULL, "o")),
                                "o", NULL),
                    "y"));
  msg_take (graph, 1, node_new ("Equal", "n", "one", "c"));
  msg_take (graph, 1, node_new ("Gather", "s", "zero", "n"));
  msg_take (graph, 1, node_new ("Shape", "x", NULL, "s"));
  return graph;
}

/* The branch hangs on a dimension; that the nodes are in no order is no matter. */
static void
test_folded (void)
{
  for (int i = 0; i < 4; i++)
    {
      const int n = 1 + i % 2;
      g_autoptr (Msg) model = model_new (squeeze_new (i / 2));
      g_autoptr (GBytes) bytes = g_bytes_new (model->data, model->len);
      g_autoptr (TpDims) dims = tp_dims_new ();
      const TpLoadOptions options = { .dims = dims };
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = NULL;
      const TpTensor *y;

      tp_dims_set (dims, "N", n);
      graph = tp_graph_read_onnx ("m.onnx", bytes, &options, &error);
      g_assert_no_error (error);
      y = &graph->tensors[graph->outputs[0]];
      g_assert_cmpint (y->rank, ==, n);
      g_assert_cmpint (y->count, ==, 3 * n);
      g_assert_cmpint (count (graph, "Squeeze"), ==, n == 1);
      g_assert_true (has_whole_tensors (graph));
    }
}

/* ---- what branches give -------------------------------------------------- */

/* A tensor around it, a constant of its own, and two outputs of which one, or none
 * but one, is wanted. */
static Msg *
ends_new (Known known)
{
  Msg *graph = graph_new (), *node, *no = branch_new (NULL, "w", "x");

  add_condition (graph, "c", known);
  msg_take (no, 5, ints_new ("unused", 0, NULL));
  msg_take (no, 5, float_new ("w", 7));
  node = if_new ("c", branch_new (NULL, "v", "w"), no, "p");
  msg_string (node, 2, "q");
  msg_take (graph, 5, float_new ("v", 5));
  msg_take (graph, 1, node_new ("Relu", "x", NULL, "w"));
  msg_take (graph, 1, node);
  msg_take (graph, 1, node_new ("Add", "p", "q", "y"));
  return graph;
}

static void
test_ends (void)
{
  for (Known known = ASKED; known <= TRUE_THEN; known++)
    for (int value = 0; value < 2; value++)
      {
        const double flag = value;
        g_autoptr (TpGraph) graph = NULL, straight = NULL;
        Msg *inner = graph_new ();

        if (known != ASKED && value != (known == TRUE_THEN))
          {
            g_byte_array_unref (inner);
            continue;
          }
        graph = load_well (ends_new (known));
        msg_take (inner, 5, float_new ("p", value ? 5 : 7));
        msg_take (inner, 1, node_new (value ? "Relu" : "Identity", "x", NULL,
                                      "q"));
        msg_take (inner, 1, node_new ("Add", "p", "q", "y"));
        straight = load_well (inner);
        assert_gives (graph, &flag, straight);
      }
}

/* The second output alone. */
static void
test_left_out (void)
{
  const double flag = 1;
  g_autoptr (TpGraph) graph = NULL, straight = NULL;
  Msg *inner = graph_new (), *wanted = graph_new (), *node;

  add_condition (inner, "c", ASKED);
  node = if_new ("c", branch_new (NODES (node_new ("Neg", "x", NULL, "a")), "x",
                                  "a"),
                 branch_new (NODES (node_new ("Abs", "x", NULL, "a")), "x", "a"),
                 "");
  msg_string (node, 2, "y");
  msg_take (inner, 1, node);
  graph = load_well (inner);
  g_assert_cmpint (count (graph, "Where"), ==, 1);
  msg_take (wanted, 1, node_new ("Neg", "x", NULL, "y"));
  straight = load_well (wanted);
  assert_gives (graph, &flag, straight);
}

/* ---- nested -------------------------------------------------------------- */

/* If c: t = relu (x), and if d: t + t else neg (t); else abs (x). The d is of the
 * graph, the t of the branch around. */
static Msg *
nested_new (Known c, Known d)
{
  Msg *graph = graph_new ();
  Msg *inner
      = if_new ("d",
                branch_new (NODES (node_new ("Add", "t", "t", "o")), "o", NULL),
                branch_new (NODES (node_new ("Neg", "t", NULL, "o")), "o", NULL),
                "o");

  add_condition (graph, "c", c);
  add_condition (graph, "d", d);
  msg_take (graph, 1,
            if_new ("c",
                    branch_new (NODES (node_new ("Relu", "x", NULL, "t"), inner),
                                "o", NULL),
                    branch_new (NODES (node_new ("Abs", "x", NULL, "o")), "o",
                                NULL), "y"));
  return graph;
}

static TpGraph *
nested_straight_new (gboolean c, gboolean d)
{
  Msg *graph = graph_new ();

  msg_take (graph, 1, node_new (c ? "Relu" : "Abs", "x", NULL, c ? "t" : "y"));
  if (c)
    msg_take (graph, 1, d ? node_new ("Add", "t", "t", "y")
                          : node_new ("Neg", "t", NULL, "y"));
  return load_well (graph);
}

static void
test_nested (void)
{
  for (int i = 0; i < 36; i++)
    {
      Known known[] = { i % 3, i / 3 % 3 };
      int value[] = { i / 9 % 2, i / 18 };
      double flags[2];
      int n_flags = 0, is_met = TRUE;
      g_autoptr (TpGraph) graph = NULL, straight = NULL;

      for (int k = 0; k < 2; k++)
        if (known[k] == ASKED)
          flags[n_flags++] = value[k];
        else
          is_met &= value[k] == (known[k] == TRUE_THEN);
      if (!is_met)
        continue;
      graph = load_well (nested_new (known[0], known[1]));
      g_assert_true (has_whole_tensors (graph));
      straight = nested_straight_new (value[0], value[1]);
      assert_gives (graph, flags, straight);
    }
}

/* @depth of them, each in the branch of the one around that is not taken; and in the
 * innermost what cannot be. */
static Msg *
deep_new (int depth)
{
  Msg *branch = branch_new (NODES (node_new ("MatMul", "x", "x", "o")), "o", NULL);
  Msg *graph = graph_new ();

  for (int i = 0; i < depth; i++)
    {
      Msg *node = if_new ("c", branch, branch_new (NULL, "x", NULL),
                          i == depth - 1 ? "y" : "o");

      if (i == depth - 1)
        msg_take (graph, 1, node);
      else
        branch = branch_new (NODES (node), "o", NULL);
    }
  add_condition (graph, "c", FALSE_THEN);
  return graph;
}

static void
test_deep (void)
{
  g_autoptr (TpGraph) graph = load_well (deep_new (16));

  g_assert_cmpint (graph->n_nodes, ==, 1);
  assert_fails (deep_new (17), TPLAN_ERROR_INPUT,
                "*node?0?.attribute?1?.g.node?0?*): If is nested deeper than 16");
}

/* ---- functions ----------------------------------------------------------- */

/* b = if c: a * slope + w else a, and by way of t, which the body has. */
static Msg *
function_new (void)
{
  Msg *function = msg_new (), *relu = node_new ("LeakyRelu", "t", NULL, "s");
  Msg *alpha = attr_new ("alpha", 1), *constant = attr_new ("value_float", 1);
  Msg *five = node_new ("Constant", NULL, NULL, "five"), *yes;

  msg_string (alpha, 21, "slope");
  msg_take (relu, 5, alpha);
  msg_float (constant, 2, 5);
  msg_take (five, 5, constant);
  yes = branch_new (NODES (relu, five, node_new ("Add", "s", "w", "r"),
                           node_new ("Add", "r", "five", "o")), "o", NULL);
  msg_take (yes, 5, float_new ("w", 3));
  msg_string (function, 1, "F");
  msg_string (function, 4, "a");
  msg_string (function, 4, "c");
  msg_string (function, 5, "b");
  msg_string (function, 6, "slope");
  msg_string (function, 10, "local");
  msg_take (function, 7, node_new ("Neg", "a", NULL, "t"));
  msg_take (function, 7, if_new ("c", yes, branch_new (NULL, "t", NULL), "b"));
  return function;
}

static Msg *
call_new (const char *in, const char *condition, const char *out, float slope)
{
  Msg *node = node_new ("F", in, condition, out), *attr = attr_new ("slope", 1);

  msg_string (node, 7, "local");
  msg_float (attr, 2, slope);
  msg_take (node, 5, attr);
  return node;
}

static void
add_straight_call (Msg *graph, int i, const char *in, const char *out,
                   float slope)
{
  g_autofree char *t = g_strdup_printf ("t%d", i);
  g_autofree char *s = g_strdup_printf ("s%d", i);
  Msg *relu = node_new ("LeakyRelu", t, NULL, s), *alpha = attr_new ("alpha", 1);
  g_autofree char *r = g_strdup_printf ("r%d", i);

  msg_float (alpha, 2, slope);
  msg_take (relu, 5, alpha);
  msg_take (graph, 1, node_new ("Neg", in, NULL, t));
  msg_take (graph, 1, relu);
  msg_take (graph, 1, node_new ("Add", s, "w", r));
  msg_take (graph, 1, node_new ("Add", r, "five", out));
}

/* The second call takes its branch, the first that which the flag says; what is
 * constant in a branch is there once. */
static void
test_function (void)
{
  const double flag = 1;
  g_autoptr (TpGraph) graph = NULL, straight = NULL;
  g_autoptr (GError) error = NULL;
  Msg *inner = graph_new (), *wanted = graph_new ();
  g_autoptr (Msg) model = NULL;
  int n_constants = 0;

  add_condition (inner, "c", ASKED);
  add_condition (inner, "d", TRUE_THEN);
  msg_take (inner, 1, call_new ("x", "c", "m", 0.5f));
  msg_take (inner, 1, call_new ("m", "d", "y", 0.25f));
  model = model_new (inner);
  msg_take (model, 25, function_new ());
  graph = load_bytes ("m.onnx", model->data, model->len, &error);
  g_assert_no_error (error);
  for (int i = 0; i < graph->n_tensors; i++)
    n_constants += tp_tensor_is_constant (&graph->tensors[i]);
  g_assert_cmpint (n_constants, ==, 2);
  msg_take (wanted, 5, float_new ("w", 3));
  msg_take (wanted, 5, float_new ("five", 5));
  add_straight_call (wanted, 0, "x", "m", 0.5f);
  add_straight_call (wanted, 1, "m", "y", 0.25f);
  straight = load_well (wanted);
  assert_gives (graph, &flag, straight);
}

/* ---- what else reads a graph --------------------------------------------- */

/* Only what may run is surveyed, and there is nothing amiss with it. */
static void
test_survey (void)
{
  g_autofree char *path = NULL;
  g_autoptr (Msg) model = model_new (squeeze_new (FALSE));
  g_autofree char *folder = g_dir_make_tmp (NULL, NULL);
  const TpLoadOptions options = { .keep_unknown_attrs = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpDims) dims = tp_dims_new ();
  TpSurvey survey;

  path = g_build_filename (folder, "m.onnx", NULL);
  g_assert_true (g_file_set_contents (path, (const char *) model->data,
                                      model->len, NULL));
  for (int n = 1; n <= 2; n++)
    {
      g_autoptr (TpGraphBuilder) builder = tp_graph_open (path, &options, &error);
      g_autoptr (TpGraph) graph = NULL;

      g_assert_no_error (error);
      tp_survey_init (&survey);
      tp_dims_set (dims, "N", n);
      graph = tp_graph_survey (builder, dims, &survey, &error);
      g_assert_no_error (error);
      g_assert_cmpint (g_hash_table_size (survey.problems), ==, 0);
      g_assert_cmpint (count (graph, "Squeeze"), ==, n == 1);
      g_assert_cmpint (count (graph, "If"), ==, 1);
      g_assert_true (has_whole_tensors (graph));
      tp_survey_clear (&survey);
    }
  g_remove (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-if/asked", test_asked);
  g_test_add_func ("/onnx-if/computed", test_computed);
  g_test_add_func ("/onnx-if/constant", test_constant);
  g_test_add_func ("/onnx-if/unknown-op", test_unknown_op);
  g_test_add_func ("/onnx-if/folded", test_folded);
  g_test_add_func ("/onnx-if/ends", test_ends);
  g_test_add_func ("/onnx-if/left-out", test_left_out);
  g_test_add_func ("/onnx-if/nested", test_nested);
  g_test_add_func ("/onnx-if/deep", test_deep);
  g_test_add_func ("/onnx-if/function", test_function);
  g_test_add_func ("/onnx-if/survey", test_survey);
  return g_test_run ();
}
