/* test-run-errors.c: what `tplan run --check` lets pass is what rounding can do to a
 * graph on its inputs, and nothing that is wrong. */
#include "config.h"

#include "cli/run-errors.h"
#include "format/graph-load.h"
#include "ir/graph-value.h"
#include "ops/reference.h"

#include <math.h>
#include <string.h>

#define WRONG 1e-3            /* of a kernel that is off, of each of its results */

/* Executed op by op, so that one of them can do something else. */
typedef struct
{
  TpGraph *graph;
  void **values;              /* per tensor */
  GPtrArray *inputs;          /* of doubles */
  GPtrArray *wanted;
} Run;

typedef void (*Spoil) (const TpTensor *tensor, double *values);

static void *
make_value (const TpTensor *tensor)
{
  double *values = g_new0 (double, tensor->count + 1);

  g_assert_false (tp_dtype_is_integer (tensor->dtype));
  if (tp_tensor_is_constant (tensor))
    tp_tensor_write_doubles (tensor, values);
  return values;
}

/* As a device does: each result becomes one of its type, by way of a float. */
static void
round_all (const TpTensor *tensor, double *values)
{
  for (gint64 i = 0; i < tensor->count; i++)
    values[i] = (float) values[i];
  tp_dtype_round (tensor->dtype, values, tensor->count);
}

/* @spoil: what happens to node @index; NULL: nothing. */
static void
run_all (Run *run, int index, Spoil spoil)
{
  const TpGraph *graph = run->graph;

  for (int i = 0; i < graph->n_inputs; i++)
    memcpy (run->values[graph->inputs[i]], run->inputs->pdata[i],
            graph->tensors[graph->inputs[i]].count * sizeof (double));
  for (int i = 0; i < graph->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[i];
      void *in[16], *out[16];

      for (int k = 0; k < node->n_inputs; k++)
        in[k] = node->inputs[k] < 0 ? NULL : run->values[node->inputs[k]];
      for (int k = 0; k < node->n_outputs; k++)
        out[k] = node->outputs[k] < 0 ? NULL : run->values[node->outputs[k]];
      tp_node_run_reference (graph, node, in, out);
      if (spoil != NULL && i == index)
        spoil (&graph->tensors[node->outputs[0]], out[0]);
      round_all (&graph->tensors[node->outputs[0]], out[0]);
    }
}

static void
run_init (Run *run, const char *text)
{
  g_autoptr (GError) error = NULL;

  run->graph = tp_graph_load_json ("g.json", text, strlen (text), NULL, &error);
  g_assert_no_error (error);
  run->values = g_new0 (void *, run->graph->n_tensors + 1);
  for (int i = 0; i < run->graph->n_tensors; i++)
    run->values[i] = make_value (&run->graph->tensors[i]);
  run->inputs = g_ptr_array_new_with_free_func (g_free);
  for (int i = 0; i < run->graph->n_inputs; i++)
    {
      const TpTensor *tensor = &run->graph->tensors[run->graph->inputs[i]];
      double *x = g_new0 (double, tensor->count + 1);

      for (gint64 k = 0; k < tensor->count; k++)
        x[k] = (float) g_test_rand_double_range (-1.7, 1.7);
      g_ptr_array_add (run->inputs, x);
    }
  run->wanted = tp_graph_run_reference (
      run->graph, (const double *const *) run->inputs->pdata, FALSE, &error);
  g_assert_no_error (error);
}

static void
run_clear (Run *run)
{
  for (int i = 0; i < run->graph->n_tensors; i++)
    g_free (run->values[i]);
  g_free (run->values);
  g_ptr_array_unref (run->inputs);
  g_ptr_array_unref (run->wanted);
  tp_graph_unref (run->graph);
}

/* The errors of the one output after run_all (). */
static TpRunErrors
judge_by (const Run *run, const TpRunBounds *bounds)
{
  const TpGraph *graph = run->graph;
  const TpTensor *tensor = &graph->tensors[graph->outputs[0]];
  const TpRunAnswer got = { tensor, TPLAN_DTYPE_FLOAT64,
                            run->values[graph->outputs[0]], "last", 0.0 };
  TpRunErrors errors = { .bounds = *bounds };

  tp_run_errors_add (&errors, &got, run->wanted->pdata[0]);
  return errors;
}

static TpRunErrors
judge (const Run *run)
{
  TpRunBounds bounds = { .limit = TP_RUN_LIMIT };
  g_autoptr (GError) error = NULL;

  g_assert_true (tp_run_bounds_find (
      run->graph, (const double *const *) run->inputs->pdata, run->wanted,
      &bounds, &error));
  g_assert_no_error (error);
  return judge_by (run, &bounds);
}

/* ---- graphs --------------------------------------------------------------- */

#define GRAPH(INPUTS, OPS)                                                    \
  "{\"format\": \"tplan-graph/1\", \"name\": \"g\", \"opset\": 17,"           \
  " \"inputs\": [{\"name\": \"x\", \"dtype\": \"float32\","                   \
  "  \"shape\": [8, 64]}], \"outputs\": [\"y\"],"                             \
  " \"initializers\": [" INPUTS "], \"ops\": [" OPS "]}"
#define OP(TYPE, IN, OUT)                                                     \
  "{\"name\": \"" OUT "\", \"type\": \"" TYPE "\", \"inputs\": [" IN "],"     \
  " \"outputs\": [\"" OUT "\"]}"
#define WEIGHTS(NAME, SEED)                                                   \
  "{\"name\": \"" NAME "\", \"dtype\": \"float32\", \"shape\": [64, 64],"     \
  " \"random\": {\"seed\": " SEED ", \"std\": 0.125}}"
#define SCALAR(NAME, VALUE)                                                   \
  "{\"name\": \"" NAME "\", \"dtype\": \"float32\", \"shape\": [1],"          \
  " \"fill\": " VALUE "}"

/* Layers as networks have them. */
static const char plain[] = GRAPH (
    WEIGHTS ("a", "1") "," WEIGHTS ("b", "2") "," WEIGHTS ("c", "3"),
    OP ("MatMul", "\"x\", \"a\"", "p") "," OP ("Relu", "\"p\"", "q") ","
    OP ("MatMul", "\"q\", \"b\"", "r") "," OP ("Tanh", "\"r\"", "s") ","
    OP ("MatMul", "\"s\", \"c\"", "y"));

/* A sine of thousands: digits are lost that no float has. */
static const char magnifying[] = GRAPH (
    WEIGHTS ("a", "1") "," SCALAR ("k", "3000"),
    OP ("MatMul", "\"x\", \"a\"", "p") "," OP ("Mul", "\"p\", \"k\"", "q") ","
    OP ("Sin", "\"q\"", "y"));

/* A difference of what is nearly the same. */
static const char cancelling[] = GRAPH (
    WEIGHTS ("a", "1") "," SCALAR ("k", "60000"),
    OP ("MatMul", "\"x\", \"a\"", "p") "," OP ("Add", "\"p\", \"k\"", "q") ","
    OP ("Mul", "\"p\", \"p\"", "r") "," OP ("Add", "\"q\", \"r\"", "s") ","
    OP ("Sub", "\"s\", \"q\"", "y"));

/* ---- what passes, and what does not --------------------------------------- */

static void
test_rounding (gconstpointer text)
{
  const TpRunBounds fixed = { .limit = TP_RUN_LIMIT };
  Run run;
  TpRunErrors errors;

  run_init (&run, text);
  run_all (&run, -1, NULL);
  errors = judge_by (&run, &fixed);
  g_assert_true (tp_run_errors_are_good (&errors) == (text == plain));
  errors = judge (&run);
  g_test_message ("error %g, limit %g", errors.max_rel_error, errors.limit);
  g_assert_true (tp_run_errors_are_good (&errors));
  run_clear (&run);
}

static void
spoil_scale (const TpTensor *tensor, double *values)
{
  for (gint64 i = 0; i < tensor->count; i++)
    values[i] *= 1 + (i % 2 == 0 ? WRONG : -WRONG);
}

static gint64
find_largest (const TpTensor *tensor, const double *values)
{
  gint64 at = 0;

  for (gint64 i = 1; i < tensor->count; i++)
    at = values[i] > values[at] ? i : at;
  return at;
}

static void
spoil_one (const TpTensor *tensor, double *values)
{
  values[find_largest (tensor, values)] *= 1.05;
}

static void
spoil_swap (const TpTensor *tensor, double *values)
{
  gint64 at = find_largest (tensor, values);
  gint64 other = (at + 1) % tensor->count;
  double kept = values[at];

  values[at] = values[other];
  values[other] = kept;
}

static const struct
{
  char letter;
  Spoil spoil;
} spoils[] = { { '1', spoil_one }, { '<', spoil_swap }, { '*', spoil_scale } };

/* Where rounding itself could be a thousandth, that is not told from it. */
static const struct
{
  const char *text, *op;
  const char *how;            /* letters of spoils */
} wrongs[] = {
  { plain, "p", "1<*" },    { plain, "q", "1<*" },    { plain, "r", "1<*" },
  { plain, "s", "1<*" },    { plain, "y", "1<*" },    { magnifying, "p", "*" },
  { magnifying, "q", "*" }, { cancelling, "p", "1<" }, { cancelling, "r", "1<" },
  { cancelling, "s", "1<*" },
};

static int
find_node (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (g_str_equal (graph->nodes[i].name, name))
      return i;
  g_assert_not_reached ();
}

static void
try_wrong (const char *text, const char *op, Spoil spoil)
{
  Run run;
  TpRunErrors errors;

  run_init (&run, text);
  run_all (&run, find_node (run.graph, op), spoil);
  errors = judge (&run);
  g_test_message ("op %s: error %g, limit %g", op, errors.max_rel_error,
                  errors.limit);
  g_assert_cmpfloat (errors.max_rel_error, >, errors.limit);
  run_clear (&run);
}

static void
test_wrong (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (wrongs); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (spoils); k++)
      if (strchr (wrongs[i].how, spoils[k].letter) != NULL)
        try_wrong (wrongs[i].text, wrongs[i].op, spoils[k].spoil);
}

/* The same graph in float16: each result is rounded to that, which passes, and two that
 * are swapped do not; what cannot be held is not expected. */
static void
test_narrow (void)
{
  g_auto (GStrv) parts = g_strsplit (plain, "float32", -1);
  g_autofree char *text = g_strjoinv ("float16", parts);
  const TpTensor tensor = { .dtype = TPLAN_DTYPE_FLOAT16, .count = 2, .name = "y" };
  const double large[] = { INFINITY, 1.0 }, beyond[] = { 70000.0, 1.0 };
  const double held[] = { 60000.0, 1.0 };
  const TpRunAnswer got = { &tensor, TPLAN_DTYPE_FLOAT64, large, "last", 0.0 };
  TpRunErrors errors = { .limit = TP_RUN_LIMIT };

  test_rounding (text);
  for (gsize i = 0; i < G_N_ELEMENTS (wrongs) && wrongs[i].text == plain; i++)
    try_wrong (text, wrongs[i].op, spoil_swap);
  tp_run_errors_add (&errors, &got, beyond);
  g_assert_true (tp_run_errors_are_good (&errors));
  tp_run_errors_add (&errors, &got, held);
  g_assert_false (tp_run_errors_are_good (&errors));
}

/* An image, looked at where it says. */
#define WIDTH 64
#define HEIGHT 48
static const char looking[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"g\", \"opset\": 17,"
      " \"inputs\": [{\"name\": \"x\", \"shape\": [1, 4, 48, 64]},"
      " {\"name\": \"at\", \"shape\": [1, 48, 64, 2]}], \"outputs\": [\"y\"],"
      " \"ops\": [" OP ("GridSample", "\"x\", \"at\"", "y") "]}";

/* Where @at is of @size points in float32, as a device works it out. */
static double
round_place (double at, int size)
{
  volatile float from_0 = (float) at + 1.0f, of_all = from_0 * (float) size;
  volatile float place = (of_all - 1.0f) / 2.0f;

  return (2.0 * place + 1.0) / size - 1.0;
}

/* Places that are worked out in float32 pass, by what an image says of them; those
 * that are off by a hundredth of its points do not. */
static void
test_places (void)
{
  const TpRunBounds fixed = { .limit = TP_RUN_LIMIT };
  Run run;
  TpRunErrors errors;
  g_autofree double *kept = NULL;
  double *at;
  int n = HEIGHT * WIDTH * 2;

  run_init (&run, looking);
  at = run.inputs->pdata[1];
  for (int try = 0; try < 2; try++)
    {
      kept = g_memdup2 (at, n * sizeof *at);
      for (int i = 0; i < n; i++)
        at[i] = round_place (at[i], i % 2 == 0 ? WIDTH : HEIGHT)
                + try * 0.02 / WIDTH;
      run_all (&run, -1, NULL);
      memcpy (at, kept, n * sizeof *at);
      g_clear_pointer (&kept, g_free);
      errors = judge_by (&run, &fixed);
      g_assert_false (tp_run_errors_are_good (&errors));
      errors = judge (&run);
      g_test_message ("error %g, limit %g", errors.max_rel_error, errors.limit);
      g_assert_true (tp_run_errors_are_good (&errors) == (try == 0));
    }
  run_clear (&run);
}

/* What is wrong in one output is not excused by another, and zeros are counted. */
static void
test_join (void)
{
  TpRunErrors all = { .limit = 1e-4 };
  const TpRunErrors loose = { .max_rel_error = 0.01, .limit = 0.02,
                              .n_flushed = 2, .worst_output = "a" };
  const TpRunErrors tight = { .max_rel_error = 2e-4, .limit = 1e-4,
                              .n_flushed = 1, .worst_output = "b" };

  tp_run_errors_join (&all, &tight);
  tp_run_errors_join (&all, &loose);
  g_assert_cmpstr (all.worst_output, ==, "b");
  g_assert_cmpfloat (all.max_rel_error, >, all.limit);
  g_assert_cmpint (all.n_flushed, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/run-errors/rounding/plain", plain, test_rounding);
  g_test_add_data_func ("/run-errors/rounding/magnifying", magnifying,
                        test_rounding);
  g_test_add_data_func ("/run-errors/rounding/cancelling", cancelling,
                        test_rounding);
  g_test_add_func ("/run-errors/wrong", test_wrong);
  g_test_add_func ("/run-errors/narrow", test_narrow);
  g_test_add_func ("/run-errors/places", test_places);
  g_test_add_func ("/run-errors/join", test_join);
  return g_test_run ();
}
