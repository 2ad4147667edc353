/* test-recognise.c: what exporters spell out becomes one node, and only that. */
#include "config.h"

#include "graph/pass.h"
#include "ir/op.h"
#include "ops/reference.h"
#include "quoted-graph.h"

#include <math.h>
#include <string.h>

#define N_ROWS 3
#define N_COLUMNS 8

/* Ops as "out Type in,in {attrs}" separated by ';'; x is [3, 8], s and b [8],
 * w [8, 8], numbers are constants. */
static void
append_op (GString *json, GHashTable *numbers, const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", 4);
  g_auto (GStrv) inputs = g_strsplit (parts[2], ",", -1);
  g_autofree char *list = g_strjoinv ("', '", inputs);

  for (int i = 0; inputs[i] != NULL; i++)
    if (g_ascii_isdigit (inputs[i][0]) || inputs[i][0] == '-')
      g_hash_table_add (numbers, g_strdup (inputs[i]));
  g_string_append_printf (json,
                          "%s{'type': '%s', 'inputs': ['%s'], "
                          "'outputs': ['%s']%s%s}",
                          json->len ? ", " : "", parts[1], list, parts[0],
                          parts[3] ? ", " : "", parts[3] ? parts[3] : "");
}

static TpGraph *
load (int opset, const char *ops, const char *outputs)
{
  g_auto (GStrv) lines = g_strsplit (ops, ";", -1);
  g_autoptr (GString) json = g_string_new (NULL), constants = NULL;
  g_autoptr (GHashTable) numbers
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *text = NULL;
  GHashTableIter iter;
  gpointer number;

  for (int i = 0; lines[i] != NULL; i++)
    append_op (json, numbers, g_strstrip (lines[i]));
  constants = g_string_new (NULL);
  g_hash_table_iter_init (&iter, numbers);
  while (g_hash_table_iter_next (&iter, &number, NULL))
    g_string_append_printf (constants,
                            ", {'name': '%s', 'shape': [], 'data': [%s]}",
                            (char *) number, (char *) number);
  text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': %d, 'inputs': ["
      "{'name': 'x', 'shape': [3, 8]}], 'initializers': ["
      "{'name': 's', 'shape': [8], 'random': {'seed': 2}}, "
      "{'name': 'b', 'shape': [8], 'random': {'seed': 3}}, "
      "{'name': 'wide', 'shape': [2, 1, 8], 'random': {'seed': 4}}, "
      "{'name': 'w', 'shape': [8, 8], 'random': {'seed': 5}}, "
      "{'name': 'last', 'dtype': 'int64', 'shape': [1], 'data': [-1]}%s], "
      "'ops': [%s], 'outputs': [%s]}",
      opset, constants->str, json->str, outputs);
  return test_load_quoted (text);
}

static double *
run (const TpGraph *graph)
{
  double x[N_ROWS * N_COLUMNS];
  const double *inputs[] = { x };
  const TpTensor *out = &graph->tensors[graph->outputs[0]];
  g_autoptr (GPtrArray) values = NULL;
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < N_ROWS * N_COLUMNS; i++)
    x[i] = 3 * tp_random_uniform (7, i);
  values = tp_graph_run_reference (graph, inputs, FALSE, &error);
  g_assert_no_error (error);
  return g_memdup2 (g_ptr_array_index (values, 0),
                    out->count * sizeof (double));
}

static char *
list_types (const TpGraph *graph)
{
  g_autoptr (GString) types = g_string_new (NULL);

  for (int i = 0; i < graph->n_nodes; i++)
    g_string_append_printf (types, "%s%s", i ? " " : "",
                            graph->nodes[i].type);
  return g_string_free (g_steal_pointer (&types), FALSE);
}

/* @ops simplify to the ops @types, and give the same values. */
static TpGraph *
check_in (int opset, const char *ops, const char *outputs, const char *types)
{
  g_autoptr (TpGraph) graph = load (opset, ops, outputs);
  g_autoptr (GError) error = NULL;
  TpGraph *simple = tp_graph_simplify (graph, &error);
  g_autofree double *want = run (graph);
  g_autofree double *got = NULL;
  g_autofree char *left = NULL;

  g_assert_no_error (error);
  left = list_types (simple);
  g_assert_cmpstr (left, ==, types);
  got = run (simple);
  for (gint64 i = 0; i < graph->tensors[graph->outputs[0]].count; i++)
    g_assert_cmpfloat (fabs (want[i] - got[i]), <, 1e-5);
  return simple;
}

static TpGraph *
check (const char *ops, const char *outputs, const char *types)
{
  return check_in (13, ops, outputs, types);
}

typedef struct
{
  const char *name, *ops, *types;
} Case;

#define ERF "a Div x,1.41421354; e Erf a; p Add e,1; "
#define TANH(cube)                                                            \
  cube "d Mul 0.044715,c; f Add x,d; g Mul f,0.797884583; t Tanh g; "         \
       "p Add t,1; "
#define POW "c Pow x,3; "
#define MEAN(x, y) y " ReduceMean " x " 'attrs': {'axes': [-1]}; "
#define CENTRED MEAN ("x", "m") "d Sub x,m; "
#define SPREAD "q Mul x,x; " MEAN ("q", "v") "t Add 1e-6,v; "
#define TORCH                                                                 \
  CENTRED "q Pow d,2; " MEAN ("q", "v") "t Add v,1e-5; r Sqrt t; n Div d,r; "
#define TF                                                                    \
  CENTRED "q Mul d,d; " MEAN ("q", "v") "t Add v,0.001; r Sqrt t; "           \
  "i Reciprocal r; f Mul i,s; "
#define TF_AGAIN(epsilon)                                                     \
  TF "t2 Add v," epsilon "; r2 Sqrt t2; i2 Reciprocal r2; f2 Mul i2,s; "       \
     "g Mul x,f; u Mul m,f2; l Sub b,u; y Add g,l"

static const Case cases[] = {
  { "gelu/mul-half", ERF "h Mul x,p; y Mul h,0.5", "Gelu" },
  { "gelu/half-first", ERF "h Mul 0.5,x; y Mul h,p", "Gelu" },
  { "gelu/half-inside", ERF "h Mul p,0.5; y Mul h,x", "Gelu" },
  { "gelu/half-divided", ERF "h Mul p,x; y Div h,2", "Gelu" },
  { "gelu/root-multiplied",
    "a Mul 0.707106769,x; e Erf a; p Add 1,e; h Mul x,p; y Mul 0.5,h", "Gelu" },
  { "gelu/tanh", TANH (POW) "h Mul x,0.5; y Mul h,p", "Gelu" },
  { "gelu/tanh-half-last", TANH (POW) "h Mul p,x; y Mul h,0.5", "Gelu" },
  { "gelu/tanh-products", TANH ("o Mul x,x; c Mul o,x; ") "h Mul x,0.5; "
    "y Mul p,h", "Gelu" },
  { "gelu/tanh-horner",
    "o Mul x,0.79788456; q Mul x,x; k Mul q,0.044715; l Add k,1; i Mul o,l; "
    "t Tanh i; p Add t,1; h Mul x,0.5; y Mul h,p", "Gelu" },
  { "norm/torch", TORCH "z Mul n,s; y Add z,b", "LayerNormalization" },
  { "norm/centred-twice",
    MEAN ("x", "m") "d Sub x,m; d2 Sub x,m; q Pow d2,2; " MEAN ("q", "v")
    "t Add v,1e-5; r Sqrt t; n Div d,r; z Mul n,s; y Add z,b",
    "LayerNormalization" },
  { "norm/no-bias", TORCH "y Mul s,n", "LayerNormalization" },
  { "norm/plain", TORCH "y Relu n", "LayerNormalization Relu" },
  { "norm/tensorflow", TF "g Mul x,f; u Mul m,f; l Sub b,u; y Add g,l",
    "LayerNormalization" },
  { "norm/factor-twice", TF_AGAIN ("1e-3"), "LayerNormalization" },
  { "norm/after-product", "h MatMul x,w; " MEAN ("h", "m") "d Sub h,m; "
    "q Pow d,2; " MEAN ("q", "v") "t Add v,1e-5; r Sqrt t; n Div d,r; "
    "z Mul n,s; y Add z,b", "MatMul LayerNormalization" },
  { "rms/root", SPREAD "r Sqrt t; n Div x,r; y Mul s,n", "RMSNormalization" },
  { "rms/reciprocal", SPREAD "r Sqrt t; i Reciprocal r; n Mul i,x; y Mul n,s",
    "RMSNormalization" },
  { "rms/inverse", SPREAD "r Sqrt t; i Div 1,r; n Mul x,i; y Mul n,s",
    "RMSNormalization" },
  { "rms/power", SPREAD "i Pow t,-0.5; n Mul x,i; y Mul n,s",
    "RMSNormalization" },
  { "rms/plain", SPREAD "i Pow t,-0.5; y Mul x,i", "RMSNormalization" },
  { "rms/cast", "z Cast x 'attrs': {'to': 1}; q Pow z,2; " MEAN ("q", "v")
    "t Add v,1e-6; r Sqrt t; n Div z,r; c Cast n 'attrs': {'to': 1}; "
    "y Mul s,c", "RMSNormalization" },
  { "rms/gain", SPREAD "r Sqrt t; n Div x,r; g Add s,1; y Mul n,g",
    "RMSNormalization" },
  { "hard-swish/inside", "a Add x,3; c Clip a,0,6; d Div c,6; y Mul x,d",
    "HardSwish" },
  { "hard-swish/outside", "a Add x,3; c Clip a,0,6; d Mul x,c; y Div d,6",
    "HardSwish" },
  { "hard-swish/ramp", "g HardSigmoid x 'attrs': {'alpha': 0.16666667}; "
    "y Mul g,x", "HardSwish" },
  { "swish", "g Sigmoid x; y Mul x,g", "Swish" },
  /* not these */
  { "not/other-ramp", "g HardSigmoid x; y Mul g,x", "HardSigmoid Mul" },
  { "not/other-root", "a Div x,1.5; e Erf a; p Add e,1; h Mul x,p; y Mul h,0.5",
    "Div Erf Add Mul Mul" },
  { "not/other-x", "z Neg x; " ERF "h Mul z,p; y Mul h,0.5",
    "Neg Div Erf Add Mul Mul" },
  { "not/other-half", ERF "h Mul x,p; y Mul h,0.25", "Div Erf Add Mul Mul" },
  { "not/part-is-read", ERF "h Mul x,p; i Mul h,0.5; y Add i,e",
    "Div Erf Add Mul Mul Add" },
  { "not/first-axis",
    "m ReduceMean x 'attrs': {'axes': [0]}; d Sub x,m; q Pow d,2; "
    "v ReduceMean q 'attrs': {'axes': [0]}; t Add v,1e-5; r Sqrt t; "
    "y Div d,r", "ReduceMean Sub Pow ReduceMean Add Sqrt Div" },
  { "not/two-means",
    "m ReduceMean x 'attrs': {'axes': [0, 1]}; d Sub x,m; q Pow d,2; "
    MEAN ("q", "v") "t Add v,1e-5; r Sqrt t; y Div d,r",
    "ReduceMean Sub RMSNormalization" },
  { "not/other-square", "z Relu x; q Mul z,z; " MEAN ("q", "v")
    "t Add v,1e-5; r Sqrt t; y Div x,r", "Relu Mul ReduceMean Add Sqrt Div" },
  { "not/other-power", SPREAD "i Pow t,-1; n Mul x,i; y Mul n,s",
    "Mul ReduceMean Add Pow Mul Mul" },
  { "not/two-epsilons", TF_AGAIN ("0.5"),
    "ReduceMean Sub Mul ReduceMean Add Sqrt Reciprocal Mul Add Sqrt Reciprocal "
    "Mul Mul Mul Sub Add" },
  { "not/wider", TORCH "z Mul n,wide; y Add z,b", "LayerNormalization Mul Add" },
  { "not/pinned", ERF "h Mul x,p 'device': 'ref'; y Mul h,0.5",
    "Div Erf Add Mul Mul" },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;

  tp_graph_unref (check (c->ops, "'y'", c->types));
}

/* A value inside that is an output too must stay. */
static void
test_output (void)
{
  tp_graph_unref (check (ERF "h Mul x,p; y Mul h,0.5", "'y', 'e'",
                         "Div Erf Add Mul Mul"));
}

static void
test_attrs (void)
{
  g_autoptr (TpGraph) norm = check (
      "m ReduceMean x 'attrs': {'axes': [1, 0]}; d Sub x,m; q Pow d,2; "
      "v ReduceMean q 'attrs': {'axes': [0, 1]}; t Add v,0.25; r Sqrt t; "
      "n Div d,r; z Mul n,s; y Add z,b",
      "'y'", "LayerNormalization");
  g_autoptr (TpGraph) gelu
      = check (TANH (POW) "h Mul x,0.5; y Mul h,p", "'y'", "Gelu");

  g_assert_cmpint (tp_node_get_int (norm->nodes, "axis", 0), ==, -2);
  g_assert_cmpfloat (tp_node_get_float (norm->nodes, "epsilon", 0), ==, 0.25);
  g_assert_cmpstr (tp_node_get_string (gelu->nodes, "approximate", ""), ==,
                   "tanh");
}

/* One after the other, the second reading the first twice. */
static void
test_chain (void)
{
  tp_graph_unref (check (
      ERF "h Mul x,p; i Mul h,0.5; a2 Div i,1.41421354; e2 Erf a2; "
      "p2 Add e2,1; h2 Mul i,p2; y Mul h2,0.5", "'y'", "Gelu Gelu"));
}

/* From opset 18 on the axes of a mean are an input. */
static void
test_axes (void)
{
  g_autoptr (TpGraph) norm = check_in (
      18, "q Pow x,2; v ReduceMean q,last; t Add v,1e-6; r Sqrt t; n Div x,r; "
      "y Mul s,n", "'y'", "RMSNormalization");

  g_assert_cmpint (tp_node_get_int (norm->nodes, "axis", 0), ==, -1);
  g_assert_cmpfloat_with_epsilon (tp_node_get_float (norm->nodes, "epsilon", 0),
                                  1e-6, 1e-12);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/recognise/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/recognise/output", test_output);
  g_test_add_func ("/recognise/attrs", test_attrs);
  g_test_add_func ("/recognise/axes", test_axes);
  g_test_add_func ("/recognise/chain", test_chain);
  return g_test_run ();
}
