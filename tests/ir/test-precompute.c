/* test-precompute.c: which ops of constants are computed once, what comes of it, and
 * that a file gets no more memory and work by it than it has bytes. */
#include "config.h"

#include "graph/graph-draw.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/graph-value.h"
#include "ir/recipe.h"
#include "ops/reference.h"
#include "quoted-graph.h"

#include <math.h>
#include <string.h>

#define COUNT 300000          /* of a constant: 1.2 MB of float32, more than is folded */
#define N_MANY 100
#define MOST_WORK 64          /* times the bytes of constants: docs/hostile-input.md */
#define MOST_RESULTS 2        /* likewise */
#define BYTES ((gint64) 4 * COUNT + 1024) /* of all constants, and a little */

/* One constant w of COUNT drawn numbers, k and many more of one; inputs x of COUNT and
 * s of one; @ops, and @outputs, with ' for ". */
static TpGraph *
load (const char *ops, const char *outputs)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'x', "
      "'shape': [300000]}, {'name': 's', 'shape': [1]}], 'initializers': ["
      "{'name': 'w', 'shape': [300000], 'random': {'seed': 1}}, "
      "{'name': 'k', 'shape': [1], 'data': [3]}, "
      "{'name': 'one', 'shape': [1], 'fill': 1}, "
      "{'name': 'wide', 'shape': [300000], 'fill': 2}, "
      "{'name': 'size', 'dtype': 'int64', 'shape': [2], 'data': [300, 1000]}, "
      "{'name': 'image', 'dtype': 'int64', 'shape': [4], 'data': [1, 1, 300, 1000]}, "
      "{'name': 'filter', 'shape': [1, 1, 3, 1], 'data': [1, 2, -1]}, "
      "{'name': 'broad', 'shape': [1, 1, 9, 31], 'random': {'seed': 2}}, "
      "{'name': 'from', 'dtype': 'int64', 'shape': [1], 'data': [0]}, "
      "{'name': 'to', 'dtype': 'int64', 'shape': [1], 'data': [300000]}], "
      "'ops': [%s], 'outputs': [%s]}", ops, outputs);

  return test_load_quoted (text);
}

static TpGraph *
prepare (const char *ops, const char *outputs)
{
  g_autoptr (TpGraph) loaded = load (ops, outputs);
  g_autoptr (GError) error = NULL;
  TpGraph *graph = tp_graph_prepare (loaded, &error);

  g_assert_no_error (error);
  return graph;
}

#define OP(type, inputs, output)                                              \
  "{'type': '" type "', 'inputs': [" inputs "], 'outputs': ['" output "']}"
#define CAST(input, output, to)                                               \
  "{'type': 'Cast', 'inputs': ['" input "'], 'outputs': ['" output "'], "     \
  "'attrs': {'to': " to "}}"
#define JOIN(inputs, output)                                                  \
  "{'type': 'Concat', 'inputs': [" inputs "], 'outputs': ['" output "'], "    \
  "'attrs': {'axis': 0}}"

#define CONV(filter) /* of a, as large */                                      \
  "{'type': 'Conv', 'inputs': ['a', '" filter "'], 'outputs': ['b'], "        \
  "'attrs': {'auto_pad': 'SAME_UPPER'}}"

static gint64
count_bytes (const TpGraph *graph, TpInitKind kind)
{
  gint64 bytes = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].init.kind == kind)
      bytes += graph->tensors[i].size_bytes;
  return bytes;
}

/* ---- which ----------------------------------------------------------------- */

/* What is left of @ops, of which the last is no op of constants. */
static const struct
{
  const char *ops;
  const char *types;
} cases[] = {
  { OP ("Neg", "'w'", "a") "," OP ("Add", "'x', 'a'", "y"), "Add" },
  /* all that leads to one */
  { OP ("Exp", "'w'", "a") "," OP ("Mul", "'a', 'k'", "b") ","
    OP ("Sub", "'b', 'a'", "c") "," OP ("Add", "'x', 'c'", "y"), "Add" },
  /* sums of it, which are small, on the way to it */
  { OP ("ReduceMean", "'w'", "a") "," OP ("Sub", "'w', 'a'", "b") ","
    OP ("Add", "'x', 'b'", "y"), "Add" },
  /* small ones for others: they stay, and read what is computed */
  { OP ("Neg", "'w'", "a") "," OP ("ReduceMean", "'a'", "b") ","
    OP ("Add", "'x', 'b'", "y"), "ReduceMean Add" },
  /* a view between */
  { OP ("Neg", "'w'", "a") "," OP ("Reshape", "'a', 'size'", "b") ","
    OP ("Add", "'b', 's'", "y"), "Add" },
  /* a view of a constant is none */
  { OP ("Reshape", "'w', 'size'", "b") "," OP ("Add", "'b', 's'", "y"), "Add" },
  /* what reads an input */
  { OP ("Add", "'w', 's'", "a") "," OP ("Add", "'x', 'a'", "y"), "Add Add" },
  /* made of one value */
  { OP ("Exp", "'wide'", "a") "," OP ("Add", "'x', 'a'", "y"), "Exp Add" },
  /* more bytes than it is made of */
  { JOIN ("'w', 'w'", "a") "," OP ("Slice", "'a', 'from', 'to'", "b") ","
    OP ("Add", "'a', 's'", "c") "," OP ("Slice", "'c', 'from', 'to'", "y"),
    "Concat Add Slice" },
  { CAST ("w", "a", "11") ","
    CAST ("x", "b", "11") ","
    OP ("Add", "'a', 'b'", "y"), "Cast Cast Add" },
  /* but in between it may be */
  { CAST ("w", "a", "11") ","
    OP ("Exp", "'a'", "b") ","
    CAST ("b", "c", "1") ","
    OP ("Add", "'x', 'c'", "y"), "Add" },
  /* sums of products, as many as their shapes say */
  { "{'type': 'Einsum', 'inputs': ['w', 'w'], 'outputs': ['a'], "
    "'attrs': {'equation': 'i,i->i'}}," OP ("Add", "'x', 'a'", "y"), "Add" },
  { OP ("Reshape", "'w', 'image'", "a") "," CONV ("filter") ","
    OP ("Add", "'b', 's'", "y"), "Add" },
  /* too many of them */
  { OP ("Reshape", "'w', 'image'", "a") "," CONV ("broad") ","
    OP ("Add", "'b', 's'", "y"), "Conv Add" },
  /* integers, as positions are */
  { CAST ("w", "a", "6") ","
    CAST ("x", "b", "6") ","
    OP ("Add", "'a', 'b'", "y"), "Cast Cast Add" },
  /* told where to be, or what it costs */
  { "{'type': 'Neg', 'inputs': ['w'], 'outputs': ['a'], 'device': 'cpu'},"
    OP ("Add", "'x', 'a'", "y"), "Neg Add" },
  { "{'type': 'Neg', 'inputs': ['w'], 'outputs': ['a'], 'cost': {'cpu': 1000}},"
    OP ("Add", "'x', 'a'", "y"), "Neg Add" },
};

static char *
list_types (const TpGraph *graph)
{
  GString *types = g_string_new (NULL);

  for (int i = 0; i < graph->n_nodes; i++)
    g_string_append_printf (types, "%s%s", i > 0 ? " " : "",
                            graph->nodes[i].type);
  return g_string_free (types, FALSE);
}

static void
test_which (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpGraph) graph = prepare (cases[i].ops, "'y'");
      g_autofree char *types = list_types (graph);

      g_assert_cmpstr (types, ==, cases[i].types);
    }
}

/* 1000 x 300 by 300 x 1000 are more products than there may be, for so few bytes, of
 * which another view is not counted again. */
static void
test_products (void)
{
  g_autoptr (TpGraph) graph
      = prepare (OP ("Reshape", "'w', 'size'", "a") ","
                 OP ("Transpose", "'a'", "b") "," OP ("MatMul", "'b', 'a'", "c") ","
                 "{'type': 'ReduceMean', 'inputs': ['c'], 'outputs': ['d'], "
                 "'attrs': {'axes': [0]}}," OP ("Add", "'d', 's'", "y"), "'y'");
  g_autofree char *types = list_types (graph);

  g_assert_cmpstr (types, ==, "MatMul ReduceMean Add");
}

/* The same of 300 x 1000 by 1000 x 300, which two views would be enough for. */
static void
test_views (void)
{
  g_autoptr (TpGraph) graph
      = prepare (OP ("Reshape", "'w', 'size'", "a") ","
                 OP ("Transpose", "'a'", "b") "," OP ("MatMul", "'a', 'b'", "c") ","
                 OP ("Add", "'c', 's'", "y"), "'y'");
  g_autofree char *types = list_types (graph);

  g_assert_cmpstr (types, ==, "MatMul Add");
}

/* ---- values ---------------------------------------------------------------- */

static double *
compute (const TpGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autofree double *x = g_new (double, COUNT);
  const double s[] = { 0.5 }, *inputs[] = { x, s };
  g_autoptr (GPtrArray) results = NULL;

  for (int i = 0; i < COUNT; i++)
    x[i] = sin (i);
  results = tp_graph_run_reference (graph, inputs, FALSE, &error);
  g_assert_no_error (error);
  return g_memdup2 (g_ptr_array_index (results, 0), COUNT * sizeof (double));
}

/* Whatever is read of a recipe is what its ops make, to the rounding of its type. */
static void
test_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpGraph) loaded = load (cases[i].ops, "'y'");
      g_autoptr (TpGraph) graph = prepare (cases[i].ops, "'y'");
      g_autofree double *expected = compute (loaded), *found = compute (graph);

      for (int k = 0; k < COUNT; k++)
        g_assert_cmpfloat (fabs (found[k] - expected[k]), <=,
                           1e-6 * MAX (1.0, fabs (expected[k])));
    }
}

static const TpTensor *
find_recipe (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].init.kind == TP_INIT_RECIPE)
      return &graph->tensors[i];
  g_assert_not_reached ();
}

/* By other ways to read it than as it lies: turned, scaled, in parts. */
static void
test_ways (void)
{
  g_autoptr (TpGraph) graph
      = prepare (OP ("Neg", "'w'", "a") "," OP ("Add", "'x', 'a'", "y"), "'y'");
  const gint64 steps[] = { 1, 500 };
  const gint64 dims[] = { 500, 600 };
  g_autofree double *scale = g_new (double, 500);
  g_autofree float *row = g_new (float, COUNT), *turned = g_new (float, COUNT);
  TpTensor tensor = *find_recipe (graph);

  tp_tensor_write_value (&tensor, row);
  tensor.rank = 2;
  tensor.dims = dims;
  tensor.init.steps = steps;
  for (int i = 0; i < 500; i++)
    scale[i] = i;
  tensor.init.scale = scale;
  for (int i = 0; i < COUNT; i += 7 * 1000)
    tp_tensor_write_part (&tensor, i, MIN (7000, COUNT - i), &turned[i]);
  for (int i = 0; i < COUNT; i++)
    g_assert_cmpfloat (turned[i], ==,
                       (float) ((double) row[i / 600 + i % 600 * 500]
                                * (i / 600)));
}

/* ---- when ------------------------------------------------------------------- */

static gboolean
count_and_make (TpGraph *graph, void *const *values, gpointer data,
                GError **error)
{
  int *n = data;

  if (*n < 0)
    {
      g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY, "none");
      return FALSE;
    }
  for (int i = 0; i < graph->n_outputs; i++)
    *(float *) values[i] = (float) ++*n;
  return TRUE;
}

/* Made for the first, shared by all, gone with the last; each output by itself. */
static void
test_held (void)
{
  g_autoptr (TpGraph) graph = prepare (
      OP ("Neg", "'w'", "a") "," OP ("Exp", "'w'", "b") ","
      OP ("Add", "'x', 'a'", "c") "," OP ("Add", "'c', 'b'", "y"), "'y'");
  TpRecipe *recipe = find_recipe (graph)->init.recipe;
  g_autoptr (GError) error = NULL;
  int n = -1;

  g_assert_cmpint (tp_recipe_get_graph (recipe)->n_outputs, ==, 2);
  g_assert_false (tp_recipe_hold (recipe, count_and_make, &n, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  n = 0;
  for (int i = 0; i < 3; i++)
    g_assert_true (tp_recipe_hold (recipe, count_and_make, &n, NULL));
  g_assert_cmpint (n, ==, 2);
  for (int i = 0; i < 3; i++)
    tp_recipe_release (recipe, 0);
  g_assert_null (tp_recipe_get_value (recipe, 0));
  g_assert_nonnull (tp_recipe_get_value (recipe, 1));
  /* What is there stays what it is. */
  g_assert_true (tp_recipe_hold (recipe, count_and_make, &n, NULL));
  g_assert_cmpint (n, ==, 4);
  g_assert_cmpfloat (*(const float *) tp_recipe_get_value (recipe, 1), ==, 2);
  g_assert_cmpfloat (*(const float *) tp_recipe_get_value (recipe, 0), ==, 3);
  tp_recipe_release (recipe, 0);
  for (int i = 0; i < 4; i++)
    tp_recipe_release (recipe, 1);
  g_assert_null (tp_recipe_get_value (recipe, 0));
  g_assert_null (tp_recipe_get_value (recipe, 1));
}

/* Equal files are equal graphs; and whoever draws the weights plans the same. */
static void
test_digest (void)
{
  const char *ops = OP ("Neg", "'w'", "a") "," OP ("Add", "'x', 'a'", "y");
  g_autoptr (TpGraph) graph = prepare (ops, "'y'"), again = prepare (ops, "'y'");
  g_autoptr (TpGraph) drawn = tp_graph_draw_recipes (graph, NULL);
  g_autofree char *a = tp_graph_digest (graph), *b = tp_graph_digest (again),
                  *c = tp_graph_digest (drawn);

  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, ==, c);
  g_assert_cmpint (count_bytes (drawn, TP_INIT_RECIPE), ==, 0);
  g_assert_cmpint (count_bytes (graph, TP_INIT_RECIPE), ==, 4 * COUNT);
}

/* ---- limits ----------------------------------------------------------------- */

/* Ops that give what others read, and are many. */
static void
add_many (GString *ops, GString *outputs, const char *form, int n)
{
  for (int i = 0; i < n; i++)
    {
      g_autoptr (GString) op = g_string_new (form);
      g_autofree char *number = g_strdup_printf ("%d", i);
      g_autofree char *next = g_strdup_printf ("%d", i + 1);

      g_string_replace (op, "@", number, 0);
      g_string_replace (op, "$", next, 0);
      g_string_append_printf (ops, "%s%s", i > 0 ? ", " : "", op->str);
      g_string_append_printf (outputs, "%s'y%d'", i > 0 ? ", " : "", i + 1);
    }
}

/* @form, N_MANY times, after @first: the bytes of results, and what is read and written,
 * are so many times those of constants. Returns how many ops are left. */
static int
check_many (const char *first, const char *form)
{
  g_autoptr (GString) ops = g_string_new (first), outputs = g_string_new (NULL);
  g_autoptr (TpGraph) graph = NULL;
  const TpGraph *inner;
  gint64 bytes = 0;

  add_many (ops, outputs, form, N_MANY);
  graph = prepare (ops->str, outputs->str);
  g_assert_cmpint (count_bytes (graph, TP_INIT_RECIPE), <=,
                   MOST_RESULTS * BYTES);
  if (count_bytes (graph, TP_INIT_RECIPE) == 0)
    return graph->n_nodes;
  inner = tp_recipe_get_graph (find_recipe (graph)->init.recipe);
  for (int i = 0; i < inner->n_nodes; i++)
    {
      const TpNode *node = &inner->nodes[i];

      for (int k = 0; k < node->n_inputs; k++)
        bytes += inner->tensors[node->inputs[k]].size_bytes;
      bytes += inner->tensors[node->outputs[0]].size_bytes;
    }
  g_assert_cmpint (bytes, <=, MOST_WORK * BYTES);
  return graph->n_nodes;
}

static void
test_limits (void)
{
  /* many results of one constant: two of them */
  g_assert_cmpint (check_many ("", OP ("Mul", "'w', 'k'", "a@") ","
                                   OP ("Add", "'s', 'a@'", "y$")), ==,
                   2 * N_MANY - MOST_RESULTS);
  /* one long chain: some of it */
  g_assert_cmpint (check_many (OP ("Neg", "'w'", "a0") ",",
                               OP ("Sin", "'a@'", "a$") ","
                               OP ("ReduceSum", "'a$'", "r$") ","
                               OP ("Add", "'s', 'r$'", "y$")), >=, 2 * N_MANY);
}

/* A chain that doubles is as long as elements can be counted. */
static void
test_doubling (void)
{
  g_autoptr (GString) ops = g_string_new (OP ("Neg", "'w'", "a0") ",");
  g_autoptr (GString) outputs = g_string_new (NULL);
  g_autoptr (TpGraph) graph = NULL;

  add_many (ops, outputs,
            JOIN ("'a@', 'a@'", "a$") "," OP ("Add", "'s', 'a$'", "y$"), 24);
  graph = prepare (ops->str, outputs->str);
  g_assert_cmpint (count_bytes (graph, TP_INIT_RECIPE), <=,
                   MOST_RESULTS * BYTES);
  g_assert_cmpint (graph->n_nodes, >=, 2 * 24);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/precompute/which", test_which);
  g_test_add_func ("/precompute/products", test_products);
  g_test_add_func ("/precompute/views", test_views);
  g_test_add_func ("/precompute/values", test_values);
  g_test_add_func ("/precompute/ways", test_ways);
  g_test_add_func ("/precompute/held", test_held);
  g_test_add_func ("/precompute/digest", test_digest);
  g_test_add_func ("/precompute/limits", test_limits);
  g_test_add_func ("/precompute/doubling", test_doubling);
  return g_test_run ();
}
