/* test-passes.c: whichever passes run, and wherever they stop, the results stay. */
#include "config.h"

#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/op.h"
#include "graph-results.h"
#include "random-model.h"
#include "quoted-graph.h"

#include <string.h>

#define N_ROUNDS 40

static TpGraph *
prepare (const TpGraph *graph, const char *left_out, const char *last)
{
  const char *const names[] = { left_out, NULL };
  const TpPassOptions options = { names, last };
  g_autoptr (GError) error = NULL;
  TpGraph *ready = tp_graph_prepare_with (graph, &options, &error);

  g_assert_no_error (error);
  return ready;
}

/* ---- what every graph must obey ------------------------------------------- */

static void
check_left_out (const TpGraph *graph)
{
  int n;
  const TpPass *const *passes = tp_pass_list (&n);

  for (int i = 0; i < n; i++)
    if (passes[i]->required == NULL)
      {
        g_autoptr (TpGraph) ready = prepare (graph, passes[i]->name, NULL);

        graph_assert_same (graph, ready, 1e-4, passes[i]->name);
      }
}

static void
check_stopped (const TpGraph *graph)
{
  int n;
  const TpPass *const *passes = tp_pass_list (&n);

  for (int i = 0; i < n; i++)
    {
      g_autoptr (TpGraph) ready = prepare (graph, NULL, passes[i]->name);

      graph_assert_same (graph, ready, 1e-4, passes[i]->name);
    }
}

/* Any set of them. */
static void
check_set (const TpGraph *graph, double tolerance)
{
  int n, n_names = 0;
  const TpPass *const *passes = tp_pass_list (&n);
  g_autofree const char **names = g_new0 (const char *, n + 1);
  const TpPassOptions options = { names, NULL };
  g_autoptr (TpGraph) ready = NULL;

  for (int i = 0; i < n; i++)
    if (passes[i]->required == NULL && g_test_rand_bit ())
      names[n_names++] = passes[i]->name;
  ready = tp_graph_prepare_with (graph, &options, NULL);
  g_assert_nonnull (ready);
  graph_assert_same (graph, ready, tolerance, "a set of passes");
}

static gboolean
concerns_any (const TpPass *pass, const TpGraph *graph)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (pass->concerns (&graph->nodes[i]))
      return TRUE;
  return FALSE;
}

/* A pass that says that it has nothing to do there has not. Returns how many do. */
static int
check_idle (const TpGraph *graph)
{
  int n, n_idle = 0;
  const TpPass *const *passes = tp_pass_list (&n);
  g_autofree char *before = tp_graph_digest (graph);

  for (int i = 0; i < n; i++)
    {
      g_autoptr (TpDraft) draft = NULL;
      g_autoptr (TpGraph) after = NULL;
      g_autofree char *digest = NULL;

      if (passes[i]->concerns == NULL || concerns_any (passes[i], graph))
        continue;
      draft = tp_draft_new_from_graph (graph);
      g_assert_true (passes[i]->run (draft, NULL));
      after = tp_draft_finish (draft, NULL);
      digest = tp_graph_digest (after);
      g_assert_cmpstr (digest, ==, before);
      n_idle++;
    }
  return n_idle;
}

static void
test_idle (void)
{
  int n_idle = 0;

  for (int i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (TpGraph) graph = random_model (g_test_rand_int_range (1, 4));

      n_idle += check_idle (graph);
    }
  g_assert_cmpint (n_idle, >, N_ROUNDS);
}

static void
test_random (void)
{
  for (int i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (TpGraph) graph = random_model (g_test_rand_int_range (1, 9));

      check_left_out (graph);
      check_stopped (graph);
      check_set (graph, 1e-4);
    }
}

/* Constants that passes make anew are rounded, and blocks magnify that. */
static void
test_narrow (void)
{
  static const TpDtype reals[] = { TPLAN_DTYPE_FLOAT16, TPLAN_DTYPE_BFLOAT16 };

  for (int i = 0; i < N_ROUNDS; i++)
    {
      TpDtype real = reals[i % G_N_ELEMENTS (reals)];
      g_autoptr (TpGraph) graph
          = random_model_of (real, g_test_rand_int_range (1, 4));

      check_set (graph, 64 * tp_dtype_get (real)->rounding);
    }
}

/* Of JSON with ' for ". */
static TpGraph *
load (const char *quoted)
{
  g_autofree char *text = g_strdup (quoted);

  return test_load_quoted (text);
}

/* Over 1 MiB: smaller ones are computed on loading. @init: of the constant. */
static TpGraph *
load_transposed (const char *init)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': "
      "[2, 4, 6, 6]}], 'initializers': [{'name': 'c', 'shape': [7, 200, 200], "
      "%s}], 'ops': [{'type': 'ReduceSum', 'inputs': ['x'], "
      "'outputs': ['s'], 'attrs': {'keepdims': 0}}, {'type': 'Transpose', "
      "'inputs': ['c'], 'outputs': ['t']}, {'type': 'Add', 'inputs': ['t', "
      "'s'], 'outputs': ['y']}], 'outputs': ['y']}", init);

  return load (text);
}

/* Likewise too large to be folded; no Transpose. */
static TpGraph *
load_computed (void)
{
  return load (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [1]}], "
      "'initializers': [{'name': 'c', 'shape': [7, 200, 200], 'random': "
      "{'seed': 1}}], 'ops': [{'type': 'Exp', 'inputs': ['c'], 'outputs': "
      "['e']}, {'type': 'Add', 'inputs': ['e', 'x'], 'outputs': ['y']}], "
      "'outputs': ['y']}");
}

/* A product of what was dequantized, and is quantized. */
static TpGraph *
load_quantized (void)
{
  return load (
      "{'format': 'tplan-graph/1', 'opset': 13, 'inputs': [{'name': 'x', "
      "'dtype': 'uint8', 'shape': [2, 2]}], 'initializers': [{'name': 's', "
      "'shape': [], 'data': [0.5]}, {'name': 'z', 'dtype': 'uint8', 'shape': [], "
      "'data': [7]}, {'name': 'w', 'dtype': 'int8', 'shape': [2, 1], 'data': "
      "[3, -5]}], 'ops': [{'type': 'DequantizeLinear', 'inputs': ['x', 's', 'z'], "
      "'outputs': ['a']}, {'type': 'DequantizeLinear', 'inputs': ['w', 's'], "
      "'outputs': ['b']}, {'type': 'MatMul', 'inputs': ['a', 'b'], 'outputs': "
      "['c']}, {'type': 'QuantizeLinear', 'inputs': ['c', 's', 'z'], 'outputs': "
      "['y']}], 'outputs': ['y']}");
}

static void
test_wide (void)
{
  g_autoptr (TpGraph) transposed = load_transposed ("'random': {'seed': 1}");
  g_autoptr (TpGraph) computed = load_computed ();

  check_left_out (transposed);
  check_stopped (transposed);
  check_left_out (computed);
  check_stopped (computed);
}

/* ---- each pass does something ---------------------------------------------- */

static gboolean
differs (const TpGraph *graph, const char *left_out)
{
  g_autoptr (TpGraph) all = prepare (graph, NULL, NULL);
  g_autoptr (TpGraph) rest = prepare (graph, left_out, NULL);
  g_autofree char *a = tp_graph_digest (all), *b = tp_graph_digest (rest);

  return strcmp (a, b) != 0;
}

static void
test_each (void)
{
  g_autoptr (TpGraph) full = full_model ();
  g_autoptr (TpGraph) transposed = load_transposed ("'fill': 3");
  g_autoptr (TpGraph) computed = load_computed ();
  g_autoptr (TpGraph) quantized = load_quantized ();
  int n;
  const TpPass *const *passes = tp_pass_list (&n);

  check_left_out (full);
  check_stopped (full);
  for (int i = 0; i < n; i++)
    if (passes[i]->required == NULL && !differs (full, passes[i]->name)
        && !differs (transposed, passes[i]->name)
        && !differs (computed, passes[i]->name)
        && !differs (quantized, passes[i]->name))
      g_error ("pass '%s' does nothing here: extend the models",
               passes[i]->name);
}

/* What comes after the last is as good as left out. */
static void
test_last (void)
{
  g_autoptr (TpGraph) graph = full_model ();
  g_autoptr (TpGraph) simple = tp_graph_simplify (graph, NULL);
  g_autoptr (TpGraph) all = tp_graph_prepare (graph, NULL);
  g_autoptr (TpGraph) before = prepare (graph, NULL, "norm");
  g_autoptr (TpGraph) after = prepare (graph, NULL, "permute");
  g_autofree char *a = tp_graph_digest (simple), *b = tp_graph_digest (before);
  g_autofree char *c = tp_graph_digest (all), *d = tp_graph_digest (after);

  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (c, ==, d);
  g_assert_cmpstr (a, !=, c);
}

/* ---- options --------------------------------------------------------------- */

static void
check_refused (const char *left_out, const char *last, const char *message)
{
  const char *const names[] = { left_out, NULL };
  const TpPassOptions options = { names, last };
  g_autoptr (TpGraph) graph = full_model ();
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_graph_prepare_with (graph, &options, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  if (strstr (error->message, message) == NULL)
    g_error ("'%s' lacks '%s'", error->message, message);
}

static void
test_refused (void)
{
  int n;
  const TpPass *const *passes = tp_pass_list (&n);

  for (int i = 0; i < n; i++)
    {
      check_refused (NULL, "dead", passes[i]->name);
      if (passes[i]->required == NULL)
        check_refused ("dead", NULL, passes[i]->name);
      else
        check_refused (passes[i]->name, NULL, passes[i]->required);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/idle", test_idle);
  g_test_add_func ("/passes/random", test_random);
  g_test_add_func ("/passes/narrow", test_narrow);
  g_test_add_func ("/passes/wide", test_wide);
  g_test_add_func ("/passes/each", test_each);
  g_test_add_func ("/passes/last", test_last);
  g_test_add_func ("/passes/refused", test_refused);
  return g_test_run ();
}
