/* test-cut.c: a graph read up to some of its tensors is what they are computed from. */
#include "config.h"

#include "format/graph-load.h"
#include "graph-results.h"
#include "onnx-if-support.h"
#include "onnx-loop-support.h"

#include <string.h>

#define N_INPUTS 3
#define N_OPS 24
#define N_TENSORS (N_INPUTS + N_OPS)
#define ROUNDS 40

static TpGraph *
read_json (const char *text, const char *const *outputs,
           const char *const *ties, GError **error)
{
  const TpLoadOptions options = { .outputs = outputs, .ties = ties };
  g_autofree char *copy = g_strdup (text);

  g_strdelimit (copy, "'", '"');
  return tp_graph_read_json ("g.json", copy, strlen (copy), &options, error);
}

static TpGraph *
read_onnx (Msg *graph, const char *const *outputs, GError **error)
{
  const TpLoadOptions options = { .outputs = outputs };
  Msg *model = model_new (graph);
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (model);

  return tp_graph_read_onnx ("m.onnx", bytes, &options, error);
}

static void
assert_refused (const char *text, const char *const *outputs,
                const char *const *ties, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph = read_json (text, outputs, ties, &error);

  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("'%s' is not %s", error->message, pattern);
}

/* ---- any graph ------------------------------------------------------------ */

/* Tensor k < N_INPUTS is an input; all others are each made by an op of two earlier
 * ones, of a type that nobody knows now and then. */
typedef struct
{
  int reads[N_TENSORS][2];
  gboolean is_strange[N_TENSORS];
  gboolean needs[N_TENSORS][N_TENSORS]; /* [of][which]: itself too */
} Drawn;

static void
draw (Drawn *drawn)
{
  memset (drawn, 0, sizeof *drawn);
  for (int i = 0; i < N_TENSORS; i++)
    {
      drawn->needs[i][i] = TRUE;
      drawn->is_strange[i] = i >= N_INPUTS && g_test_rand_int_range (0, 5) == 0;
      for (int k = 0; k < 2 && i >= N_INPUTS; k++)
        {
          int from = g_test_rand_int_range (0, i);

          drawn->reads[i][k] = from;
          for (int j = 0; j < N_TENSORS; j++)
            drawn->needs[i][j] |= drawn->needs[from][j];
        }
    }
}

static gboolean
is_known (const Drawn *drawn, int tensor)
{
  for (int i = 0; i < N_TENSORS; i++)
    if (drawn->needs[tensor][i] && drawn->is_strange[i])
      return FALSE;
  return TRUE;
}

/* @is_plain: no type is strange, and all tensors but inputs are outputs. */
static char *
write_drawn (const Drawn *drawn, gboolean is_plain)
{
  g_autoptr (GString) text = g_string_new ("{'format': 'tplan-graph/1', ");

  g_string_append (text, "'inputs': [");
  for (int i = 0; i < N_INPUTS; i++)
    g_string_append_printf (text, "%s{'name': 't%d', 'shape': [2, %s]}",
                            i > 0 ? ", " : "", i, is_plain ? "3" : "'N'");
  g_string_append_printf (text, "], 'dims': {'N': 3}, 'ops': [");
  for (int i = N_INPUTS; i < N_TENSORS; i++)
    g_string_append_printf (
        text, "%s{'type': '%s', 'inputs': ['t%d', 't%d'], 'outputs': ['t%d']}",
        i > N_INPUTS ? ", " : "",
        drawn->is_strange[i] && !is_plain ? "Frobnicate" : i % 2 ? "Add" : "Sub",
        drawn->reads[i][0], drawn->reads[i][1], i);
  g_string_append (text, "], 'outputs': [");
  for (int i = is_plain ? N_INPUTS : N_TENSORS - 1; i < N_TENSORS; i++)
    g_string_append_printf (text, "'t%d'%s", i, i + 1 < N_TENSORS ? ", " : "]}");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Of two tensors: what they need and no more, and it computes the same. */
static void
check_pair (const Drawn *drawn, int a, int b)
{
  g_autofree char *text = write_drawn (drawn, FALSE);
  g_autofree char *plain = write_drawn (drawn, TRUE);
  g_autofree char *p = g_strdup_printf ("t%d", a);
  g_autofree char *q = g_strdup_printf ("t%d", b);
  g_autofree char *both = g_strconcat (p, ",", q, NULL);
  const char *const names[] = { g_test_rand_bit () ? both : p,
                                NULL, NULL };
  const char *const apart[] = { p, q, NULL };
  const char *const *outputs = names[0] == both ? names : apart;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_json (text, outputs, NULL, &error);
  g_autoptr (TpGraph) wanted = read_json (plain, apart, NULL, NULL);
  int n_ops = 0, n_inputs = 0;

  g_assert_no_error (error);
  for (int i = 0; i < N_TENSORS; i++)
    if (drawn->needs[a][i] || drawn->needs[b][i])
      *(i < N_INPUTS ? &n_inputs : &n_ops) += 1;
  g_assert_cmpint (graph->n_nodes, ==, n_ops);
  g_assert_cmpint (graph->n_inputs, ==, n_inputs);
  g_assert_cmpint (graph->n_outputs, ==, 2);
  graph_assert_same (wanted, graph, 0, "cut");
}

static void
test_any (void)
{
  int n_checked = 0;

  for (int round = 0; round < ROUNDS; round++)
    {
      Drawn drawn;
      int a = g_test_rand_int_range (N_INPUTS, N_TENSORS);
      int b = g_test_rand_int_range (N_INPUTS, N_TENSORS);

      draw (&drawn);
      if (a == b || !is_known (&drawn, a) || !is_known (&drawn, b))
        continue;
      check_pair (&drawn, a, b);
      n_checked++;
    }
  g_assert_cmpint (n_checked, >, 0);
}

/* ---- what errors name ------------------------------------------------------ */

/* Ops that are known, and that the output or one that is not known hangs on. */
static int
count_before (const Drawn *drawn)
{
  int n = 0;

  for (int k = N_INPUTS; k < N_TENSORS; k++)
    {
      gboolean is_wanted = FALSE;

      for (int j = N_INPUTS; j < N_TENSORS; j++)
        is_wanted |= drawn->needs[j][k] && (j == N_TENSORS - 1 || !is_known (drawn, j));
      n += is_wanted && is_known (drawn, k);
    }
  return n;
}

/* What the error of a graph with ops that nobody knows names is all that can be
 * planned without them. */
static void
check_remedy (const Drawn *drawn)
{
  static const char found[] = ", or plan up to it, with --outputs=";
  g_autofree char *text = write_drawn (drawn, FALSE);
  int n = count_before (drawn);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_json (text, NULL, NULL, &error);
  const char *names;

  g_assert_null (graph);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  names = strstr (error->message, found);
  if (n == 0)
    {
      g_assert_null (names);
      return;
    }
  g_assert_nonnull (names);
  names += strlen (found);
  graph = read_json (text, NAMES (names), NULL, NULL);
  g_assert_nonnull (graph);
  g_assert_cmpint (graph->n_nodes, ==, n);
}

static void
test_remedies (void)
{
  int n_checked = 0;

  for (int round = 0; round < ROUNDS; round++)
    {
      Drawn drawn;

      draw (&drawn);
      for (int i = 0; i < N_TENSORS; i++)
        if (drawn.is_strange[i])
          {
            check_remedy (&drawn);
            n_checked++;
            break;
          }
    }
  g_assert_cmpint (n_checked, >, 0);
}

/* Twice as many tensors as a line takes, each read by the op in the way. */
static void
test_long (void)
{
  g_autoptr (GString) text = g_string_new (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [4]}], 'ops': [");
  g_autoptr (GString) names = g_string_new ("");
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 60; i++)
    {
      g_string_append_printf (text, "{'type': 'Relu', 'inputs': ['x'], "
                              "'outputs': ['long_name_%d']}, ", i);
      g_string_append_printf (names, "%s'long_name_%d'", i > 0 ? ", " : "", i);
    }
  g_string_append_printf (
      text, "{'type': 'Few', 'inputs': ['long_name_1'], 'outputs': ['y']}, "
      "{'type': 'Many', 'inputs': [%s], 'outputs': ['z']}], "
      "'outputs': ['y', 'z']}", names->str);
  g_assert_null (read_json (text->str, NULL, NULL, &error));
  g_assert_true (g_str_has_suffix (
      error->message, ", or plan up to what it reads, with --outputs=long_name_1"));
}

/* What is computed once, or of shapes alone, needs no naming. */
static void
test_constants (void)
{
  static const char text[]
      = "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [4]}, "
        "{'name': 'i', 'shape': [1], 'dtype': 'int64'}], "
        "'initializers': [{'name': 'w', 'shape': [4], 'fill': 2}], 'ops': ["
        "{'type': 'Shape', 'inputs': ['x'], 'outputs': ['s']}, "
        "{'type': 'Neg', 'inputs': ['w'], 'outputs': ['v']}, "
        "{'type': 'Mul', 'inputs': ['x', 'v'], 'outputs': ['p']}, "
        "{'type': 'Abs', 'inputs': ['i'], 'outputs': ['j']}, "
        "{'type': 'Reshape', 'inputs': ['p', 'j'], 'outputs': ['q']}, "
        "{'type': 'Expand', 'inputs': ['q', 's'], 'outputs': ['y']}, "
        "{'type': 'Sub', 'inputs': ['x', 'v'], 'outputs': ['z']}], "
        "'outputs': ['y', 'z']}";
  g_autoptr (GError) error = NULL;

  g_assert_null (read_json (text, NULL, NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "must be a constant"));
  g_assert_true (g_str_has_suffix (
      error->message, ", or plan up to it, with --outputs=p,j,z"));
}

/* ---- faults behind the cut ------------------------------------------------- */

#define FAULTY                                                                \
  "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [4]}], "     \
  "'ops': [{'type': 'Relu', 'inputs': ['x'], 'outputs': ['p']}, "             \
  "{'name': 'f', %s, 'outputs': ['q']}, "                                     \
  "{'type': 'Abs', 'inputs': ['q'], 'outputs': ['y']}], 'outputs': ['y']}"

/* Malformed ops are told where they are needed, and there alone. */
static void
test_faulty (void)
{
  static const char *const faulty[] = {
    "'type': 'Relu', 'inputs': ['p', 'p', 'p']",
    "'type': 'Add', 'inputs': ['p', '']",
    "'type': 'Relu', 'inputs': ['p'], 'attrs': {'nonsense': 1}",
    "'type': 'HannWindow', 'inputs': ['p', 'p']",
    "'type': 'SoftmaxCrossEntropyLoss', 'inputs': ['p', 'p'], "
    "'attrs': {'reduction': 'all'}",
    "'type': 'GridSample', 'inputs': ['p', 'p'], 'attrs': {'mode': 3}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (faulty); i++)
    {
      g_autofree char *text = g_strdup_printf (FAULTY, faulty[i]);
      g_autoptr (GError) error = NULL, told = NULL;
      g_autoptr (TpGraph) part = read_json (text, NAMES ("p"), NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpint (part->n_nodes, ==, 1);
      g_assert_null (read_json (text, NULL, NULL, &error));
      g_assert_null (read_json (text, NAMES ("q"), NULL, &told));
      g_assert_error (told, TPLAN_ERROR, error->code);
      g_assert_cmpstr (told->message, ==, error->message);
    }
}

/* ---- values ---------------------------------------------------------------- */

/* What it computes is what all of the graph does at these tensors. */
static void
test_values (void)
{
  Drawn drawn;
  g_autofree char *plain = NULL;
  g_autoptr (TpGraph) all = NULL, graph = NULL;
  g_autoptr (GPtrArray) of_all = NULL, of_cut = NULL;
  static const char *const outputs[] = { "t4", NULL };

  do
    draw (&drawn);
  while (!drawn.needs[4][0] || !drawn.needs[4][1] || !drawn.needs[4][2]);
  plain = write_drawn (&drawn, TRUE);
  all = read_json (plain, NULL, NULL, NULL);
  graph = read_json (plain, outputs, NULL, NULL);
  g_assert_cmpint (graph->n_inputs, ==, all->n_inputs);
  of_all = graph_run (all);
  of_cut = graph_run (graph);
  g_assert_cmpmem (of_cut->pdata[0], 6 * sizeof (double),
                   of_all->pdata[4 - N_INPUTS], 6 * sizeof (double));
}

/* ---- names ----------------------------------------------------------------- */

#define NET                                                                   \
  "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [4]}, "      \
  "{'name': 'h', 'shape': [4]}, {'name': 'z', 'shape': ['K']}], "             \
  "'initializers': [{'name': 'w', 'shape': [4], 'fill': 2}], 'ops': ["        \
  "{'type': 'Relu', 'inputs': ['x'], 'outputs': ['boxes']}, "                 \
  "{'type': 'Add', 'inputs': ['boxes', 'h'], 'outputs': ['a,b']}, "           \
  "{'type': 'Neg', 'inputs': ['z'], 'outputs': ['far']}, "                    \
  "{'type': 'Mul', 'inputs': ['boxes', 'w'], 'outputs': ['y']}], "            \
  "'outputs': ['y', 'a,b', 'far']}"

static void
test_names (void)
{
  static const char *const comma[] = { "y", "a,b", NULL };
  static const char *const weight[] = { "w", "y", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_json (NET, comma, NULL, &error);
  g_autoptr (TpGraph) constant = NULL;

  g_assert_no_error (error); /* though K has no value */
  g_assert_cmpint (graph->n_nodes, ==, 3);
  g_assert_cmpstr (graph->tensors[graph->outputs[1]].name, ==, "a,b");
  constant = read_json (NET, weight, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (constant->tensors[constant->outputs[0]].name, ==, "w");
  assert_refused (NET, NAMES ("boxs"), NULL, "*output 'boxs': *mean 'boxes'*");
  assert_refused (NET, NAMES ("y,boxes,y"), NULL, "*'y': it is named twice*");
  assert_refused (NET, NAMES ("x"), NULL, "*'x': it is an input*");
  assert_refused (NET, NAMES (""), NULL, "*output ''*");
}

/* ---- states ----------------------------------------------------------------- */

static void
test_ties (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph
      = read_json (NET, NAMES ("y", "a,b"), NAMES ("a,b=h"), &error);

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_outputs, ==, 1);
  g_assert_cmpint (graph->n_inputs, ==, 1);
  g_assert_cmpint (graph->n_nodes, ==, 3); /* the state alone needs one */
  assert_refused (NET, NAMES ("y"), NAMES ("a,b=h"),
                  "*no output 'a,b'*--outputs leaves it out*");
}

#define STATES                                                                \
  "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [4]}], "     \
  "'state': [{'name': 'h', 'shape': [4], 'next': 'h1'}, "                     \
  "{'name': 'g', 'shape': [4], 'next': 'g1'}], 'ops': ["                      \
  "{'type': 'Add', 'inputs': ['x', 'h'], 'outputs': ['y']}, "                 \
  "{'type': 'Sub', 'inputs': ['x', 'y'], 'outputs': ['h1']}, "                \
  "{'type': 'Mul', 'inputs': ['x', 'g'], 'outputs': ['g1']}, "                \
  "{'type': 'Neg', 'inputs': ['g'], 'outputs': ['z']}], "                     \
  "'outputs': ['y', 'z']}"

/* A state that is read goes on; one that is not is none. */
static void
test_states (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_json (STATES, NAMES ("y"), NULL, &error);
  g_autofree int *states = NULL;
  int n;

  g_assert_no_error (error);
  states = tp_graph_list_states (graph, &n);
  g_assert_cmpint (n, ==, 1);
  g_assert_cmpstr (graph->tensors[states[0]].name, ==, "h");
  g_assert_cmpint (graph->n_nodes, ==, 2);
}

/* ---- groups ------------------------------------------------------------------ */

#define GROUPS                                                                \
  "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [4]}], "     \
  "'ops': [{'name': 'a', 'type': 'Relu', 'inputs': ['x'], 'outputs': ['p']}, "\
  "{'name': 'b', 'type': 'Neg', 'inputs': ['p'], 'outputs': ['q']}, "         \
  "{'name': 'c', 'type': 'Abs', 'inputs': ['q'], 'outputs': ['y']}], "        \
  "'groups': [{'ops': ['b', 'c'], 'cost': {'cpu': 5}}], 'outputs': ['y']}"

static void
test_groups (void)
{
  g_autoptr (TpGraph) whole = read_json (GROUPS, NAMES ("p", "y"), NULL, NULL);
  g_autoptr (TpGraph) part = read_json (GROUPS, NAMES ("q"), NULL, NULL);

  g_assert_cmpint (whole->n_groups, ==, 1);
  g_assert_cmpint (part->n_groups, ==, 0);
  g_assert_cmpint (part->n_nodes, ==, 2);
}

/* ---- branches and bodies ------------------------------------------------------ */

/* y = if c: neg (relu (v)); else x x + w; all of it hangs on what stands around. */
static Msg *
if_graph_new (void)
{
  Msg *graph = graph_new ();

  add_bool_input (graph, "b", 0, NULL);
  msg_take (graph, 1, node_new ("Not", "b", NULL, "c"));
  msg_take (graph, 5, float_new ("w", 2));
  msg_take (graph, 1, if_new ("c", yes_new (), no_new (), "p"));
  msg_take (graph, 1, node_new ("Frobnicate", "p", NULL, "y"));
  return graph;
}

static void
test_if (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = read_onnx (if_graph_new (), NAMES ("p"), &error);
  g_autoptr (TpGraph) none = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (graph->n_inputs, ==, 2);
  g_assert_cmpint (count_ops (graph, "Not"), ==, 1);
  none = read_onnx (if_graph_new (), NAMES ("y"), &error);
  g_assert_null (none);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message,
                            "plan up to it, with --outputs=p"));
}

/* Three rounds of s = s + v, where v is made around; the Loop is needed or not. */
static Msg *
loop_graph_new (void)
{
  Msg *graph = graph_new ();
  Msg *body = body_new (
      NAMES ("i", "go", "s"),
      NODES (node_of ("Identity", "id", NAMES ("go"), NAMES ("on"), NULL),
             node_of ("Add", "add", NAMES ("s", "v"), NAMES ("t"), NULL)),
      NAMES ("on", "t"));

  add_int_constant (graph, "n", 3);
  msg_take (graph, 1, node_new ("Relu", "x", NULL, "v"));
  msg_take (graph, 1, node_new ("Abs", "v", NULL, "w"));
  msg_take (graph, 1, node_of ("Loop", "loop", NAMES ("n", "", "x"),
                               NAMES ("r"), body));
  msg_take (graph, 1, node_new ("NonZero", "r", NULL, "y"));
  return graph;
}

static void
test_loop (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) with = read_onnx (loop_graph_new (), NAMES ("r"), &error);
  g_autoptr (TpGraph) without = NULL, none = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (count_ops (with, "Add"), ==, 3);
  g_assert_cmpint (count_ops (with, "Abs"), ==, 0);
  without = read_onnx (loop_graph_new (), NAMES ("w"), &error);
  g_assert_no_error (error);
  g_assert_cmpint (without->n_nodes, ==, 2);
  none = read_onnx (loop_graph_new (), NULL, &error);
  g_assert_null (none);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cut/any", test_any);
  g_test_add_func ("/cut/remedies", test_remedies);
  g_test_add_func ("/cut/long", test_long);
  g_test_add_func ("/cut/constants", test_constants);
  g_test_add_func ("/cut/faulty", test_faulty);
  g_test_add_func ("/cut/values", test_values);
  g_test_add_func ("/cut/names", test_names);
  g_test_add_func ("/cut/ties", test_ties);
  g_test_add_func ("/cut/states", test_states);
  g_test_add_func ("/cut/groups", test_groups);
  g_test_add_func ("/cut/if", test_if);
  g_test_add_func ("/cut/loop", test_loop);
  return g_test_run ();
}
