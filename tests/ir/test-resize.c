/* test-resize.c: a Resize taken apart, dimension by dimension, gives what it gave
 * as a whole. */
#include "config.h"

#include "count-ops.h"
#include "graph/pass.h"
#include "ir/op.h"
#include "ops/reference.h"
#include "quoted-graph.h"

#include <math.h>
#include <string.h>

#define N_TRIALS 8 /* of each combination */

typedef struct
{
  int rank;
  gint64 dims[TP_MAX_RANK];
  const char *dtype;
} Shape;

/* Node @ops with x -> y; s are the scales or, when @is_sizes, the sizes. */
static TpGraph *
load (const Shape *shape, const char *list, gboolean is_sizes, const char *node)
{
  g_autoptr (GString) dims = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (dims, "%s%d", i ? ", " : "", (int) shape->dims[i]);
  text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 18, 'inputs': [{'name': 'x', "
      "'shape': [%s], 'dtype': '%s'}], 'initializers': [{'name': 's', "
      "'shape': [%d], 'dtype': '%s', 'data': [%s]}], 'ops': [{'type': 'Resize',"
      " 'inputs': ['x', '', %s], 'outputs': ['y']%s}], 'outputs': ['y']}",
      dims->str, shape->dtype, shape->rank, is_sizes ? "int64" : "float32",
      list, is_sizes ? "'', 's'" : "'s'", node);
  return test_load_quoted (text);
}

static GPtrArray *
run (const TpGraph *graph, const double *x)
{
  const double *inputs[] = { x };
  g_autoptr (GError) error = NULL;
  GPtrArray *values = tp_graph_run_reference (graph, inputs, FALSE, &error);

  g_assert_no_error (error);
  return values;
}

/* Simplifies; the output must be the same within @tolerance. */
static TpGraph *
check (const TpGraph *graph, const double *x, double tolerance)
{
  g_autoptr (GError) error = NULL;
  TpGraph *simple = tp_graph_simplify (graph, &error);
  const TpTensor *out = &graph->tensors[graph->outputs[0]];
  g_autoptr (GPtrArray) want = NULL, got = NULL;

  g_assert_no_error (error);
  want = run (graph, x);
  got = run (simple, x);
  for (gint64 i = 0; i < out->count; i++)
    {
      double a = ((const double *) want->pdata[0])[i];
      double b = ((const double *) got->pdata[0])[i];

      if (a != b && !(isnan (a) && isnan (b)))
        g_assert_cmpfloat_with_epsilon (a, b, tolerance);
    }
  return simple;
}

static double *
draw_input (const TpGraph *graph)
{
  gint64 n = graph->tensors[graph->inputs[0]].count;
  double *x = g_new (double, n);

  for (gint64 i = 0; i < n; i++)
    x[i] = g_test_rand_int_range (0, 200);
  return x;
}

/* ---- all there is to choose ----------------------------------------------- */

static const char *const coordinates[]
    = { "half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
        "tf_half_pixel_for_nn", "half_pixel_symmetric" };
static const char *const nearests[]
    = { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil" };

/* 3 to 5 dimensions of which the first, and some of the others, stay. What stays is
 * small, and all is the smaller the more there are: a whole Resize reads a cube of the
 * input for each of its results. */
static TpGraph *
draw_graph (const char *dtype, const char *node)
{
  Shape shape = { g_test_rand_int_range (3, 6), { 0 }, dtype };
  int end = g_getenv ("TPLAN_TEST_FULL") != NULL ? 9 : 20 / shape.rank + 2;
  gboolean is_sizes = g_test_rand_bit (), is_whole = g_test_rand_bit ();
  g_autoptr (GString) list = g_string_new (NULL);

  for (int i = 0; i < shape.rank; i++)
    {
      gboolean stays = i == 0 || g_test_rand_int_range (0, 4) == 0;
      double drawn = g_test_rand_double_range (0.3, 3.3);
      double scale = stays ? 1.0 : is_whole ? ceil (drawn) : drawn;
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      shape.dims[i] = stays ? g_test_rand_int_range (2, 4)
                            : g_test_rand_int_range (4, end);
      if (is_sizes)
        scale = floor (scale * shape.dims[i]);
      g_string_append_printf (list, "%s%s", i ? ", " : "",
                              g_ascii_dtostr (number, sizeof number, scale));
    }
  return load (&shape, list->str, is_sizes, node);
}

/* Whether all that @graph does is to repeat each element as often: by what comes out. */
static gboolean
repeats (const TpGraph *graph)
{
  const TpTensor *in = &graph->tensors[graph->inputs[0]];
  const TpTensor *out = &graph->tensors[graph->outputs[0]];
  g_autofree double *x = g_new (double, in->count);
  g_autoptr (GPtrArray) values = NULL;

  for (gint64 i = 0; i < in->count; i++)
    x[i] = i % 251;
  values = run (graph, x);
  for (gint64 i = 0; i < out->count; i++)
    {
      gint64 rest = i, from = 0, step = 1;

      for (int k = out->rank - 1; k >= 0; k--)
        {
          gint64 n = out->dims[k] / in->dims[k];

          if (n * in->dims[k] != out->dims[k])
            return FALSE;
          from += rest % out->dims[k] / n * step;
          rest /= out->dims[k];
          step *= in->dims[k];
        }
      if (((const double *) values->pdata[0])[i] != x[from])
        return FALSE;
    }
  return TRUE;
}

static void
check_mode (const char *dtype, const char *mode, const char *coordinate,
            const char *more)
{
  g_autofree char *node = g_strdup_printf (
      ", 'attrs': {'mode': '%s', 'coordinate_transformation_mode': '%s', %s}",
      mode, coordinate, more);
  gboolean is_nearest = strcmp (mode, "nearest") == 0;

  for (int i = 0; i < N_TRIALS; i++)
    {
      g_autoptr (TpGraph) graph = draw_graph (dtype, node);
      g_autofree double *x = draw_input (graph);
      g_autoptr (TpGraph) simple = check (graph, x, is_nearest ? 0.0 : 1e-3);

      g_assert_cmpint (count_ops (simple, "Resize"), ==,
                       is_nearest && repeats (graph)
                           && strcmp (simple->nodes[0].type, "Identity") != 0);
    }
}

static void
test_nearest (void)
{
  static const char *const dtypes[] = { "float32", "int64", "uint8" };

  for (gsize i = 0; i < G_N_ELEMENTS (coordinates); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (nearests); j++)
      for (int excludes = 0; excludes <= 1; excludes++)
        {
          g_autofree char *more
              = g_strdup_printf ("'nearest_mode': '%s', 'exclude_outside': %d",
                                 nearests[j], excludes);

          check_mode (dtypes[(i + j) % 3], "nearest", coordinates[i], more);
        }
}

static void
test_weighted (gconstpointer mode)
{
  for (gsize i = 0; i < G_N_ELEMENTS (coordinates); i++)
    for (int k = 0; k < 8; k++)
      {
        static const char *const policies[]
            = { "stretch", "not_larger", "not_smaller", "stretch" };
        g_autofree char *more = g_strdup_printf (
            "'cubic_coeff_a': -0.5, 'exclude_outside': %d, 'antialias': %d, "
            "'keep_aspect_ratio_policy': '%s'",
            k % 2, k / 4, policies[k / 2 % 4]);

        check_mode ("float32", mode, coordinates[i], more);
      }
}

/* Where the input recurs with each output, what shrinks without aliases is even. */
static void
test_antialias (gconstpointer mode)
{
  g_autofree char *node = g_strdup_printf (
      ", 'attrs': {'mode': '%s', 'antialias': 1}", (const char *) mode);

  for (int out = 3; out <= 9; out++)
    {
      const Shape shape = { 3, { 1, 1, 9 * out }, "float32" };
      g_autofree char *list = g_strdup_printf ("1, 1, %d", out);
      g_autoptr (TpGraph) graph = load (&shape, list, TRUE, node);
      g_autofree double *even = g_new (double, 9 * out);
      g_autoptr (TpGraph) simple = NULL;
      g_autoptr (GPtrArray) values = NULL;

      for (int i = 0; i < 9 * out; i++)
        even[i] = 7.0 + (i % 9 == 4 ? 9.0 : 0.0);
      simple = check (graph, even, 1e-5);
      values = run (simple, even);
      g_assert_cmpint (count_ops (simple, "Interpolate"), ==, 1);
      /* but near the borders */
      for (int i = 2; i < out - 2; i++)
        g_assert_cmpfloat_with_epsilon (((const double *) values->pdata[0])[i],
                                        ((const double *) values->pdata[0])[2],
                                        1e-5);
    }
}

/* A part of a row: between its ends as if it were all there is; beyond the row what
 * is asked for, of any corner. */
static void
test_crop (void)
{
  static const struct
  {
    const char *mode, *dtype, *dims, *roi, *sizes, *more;
    double want[3];
  } cases[] = {
#define ROW "'float32'", "1, 9"
    { "linear", ROW, "0, 0.25, 1, 0.75", "1, 3", "", { 3, 5, 7 } },
    { "linear", ROW, "0, 0.75, 1, 0.25", "1, 3", "", { 7, 5, 3 } },
    { "linear", ROW, "0, -0.5, 1, 0.5", "1, 3", "", { 0, 1, 5 } },
#define OTHER ", 'extrapolation_value': 6.5"
    { "linear", ROW, "0, 0.5, 1, 1.5", "1, 3", OTHER, { 5, 9, 6.5 } },
    { "nearest", ROW, "0, 0.25, 1, 0.75", "1, 3", OTHER, { 3, 5, 7 } },
    { "nearest", ROW, "0, -0.5, 1, 0.5", "1, 3", "", { 0, 1, 5 } },
    { "nearest", ROW, "0, 0.5, 1, 1.5", "1, 3", OTHER, { 5, 9, 6.5 } },
    { "cubic", "'float64'", "1, 9", "0, 0.5, 1, 1.5", "1, 3", OTHER, { 5, 9, 6.5 } },
    { "linear", "'float32'", "3, 3", "0, 0, 2, 1", "3, 1", OTHER, { 2, 8, 6.5 } },
    { "nearest", "'float32'", "3, 3", "-0.5, -0.5, 1.5, 0.5", "5, 4", OTHER,
      { 6.5, 6.5, 6.5 } },
    { "linear", "'float32'", "3, 3", "-0.5, 0, 1, 2", "4, 4", OTHER,
      { 6.5, 6.5, 6.5 } },
  };
  const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{'format': 'tplan-graph/1', 'opset': 18, 'inputs': [{'name': 'x', "
          "'dtype': %s, 'shape': [%s]}], 'initializers': [{'name': 'r', 'shape': "
          "[4], 'data': [%s]}, {'name': 's', 'dtype': 'int64', 'shape': [2], "
          "'data': [%s]}], 'ops': [{'type': 'Resize', 'inputs': ['x', 'r', "
          "'', 's'], 'outputs': ['y'], 'attrs': {'mode': '%s', "
          "'coordinate_transformation_mode': 'tf_crop_and_resize'%s}}], "
          "'outputs': ['y']}",
          cases[i].dtype, cases[i].dims, cases[i].roi, cases[i].sizes,
          cases[i].mode, cases[i].more);
      g_autoptr (TpGraph) graph = NULL, simple = NULL;
      g_autoptr (GPtrArray) values = NULL;

      graph = test_load_quoted (text);
      simple = check (graph, x, 1e-6);
      g_assert_cmpint (count_ops (simple, "Resize"), ==, 0);
      values = run (simple, x);
      for (int k = 0; k < 3; k++)
        g_assert_cmpfloat_with_epsilon (
            ((const double *) values->pdata[0])[k], cases[i].want[k], 1e-6);
    }
}

/* One scale for all: the image keeps its form. */
static void
test_policies (void)
{
  static const struct
  {
    const char *policy;
    gint64 want[2];
  } cases[] = { { "stretch", { 7, 8 } }, { "not_larger", { 4, 8 } },
                { "not_smaller", { 7, 14 } } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *node = g_strdup_printf (
          ", 'attrs': {'mode': 'linear', 'axes': [2, 3], "
          "'keep_aspect_ratio_policy': '%s'}", cases[i].policy);
      g_autofree char *text = g_strdup_printf (
          "{'format': 'tplan-graph/1', 'opset': 18, 'inputs': [{'name': 'x', "
          "'shape': [1, 2, 2, 4]}], 'initializers': [{'name': 's', 'dtype': "
          "'int64', 'shape': [2], 'data': [7, 8]}], 'ops': [{'type': 'Resize', "
          "'inputs': ['x', '', '', 's'], 'outputs': ['y']%s}], 'outputs': "
          "['y']}", node);
      g_autoptr (TpGraph) graph = NULL;

      graph = test_load_quoted (text);
      for (int k = 0; k < 2; k++)
        g_assert_cmpint (graph->tensors[graph->outputs[0]].dims[2 + k], ==,
                         cases[i].want[k]);
    }
}

/* ---- what it is made of ----------------------------------------------------- */

#define LINEAR ", 'attrs': {'mode': 'linear'}"

/* The output keeps its name and the last step that of the op; the dimension that
 * shrinks comes first, then the last one. */
static void
test_steps (void)
{
  const Shape shape = { 4, { 1, 3, 5, 6 }, "float32" };
  g_autoptr (TpGraph) graph = load (&shape, "1, 2, 8, 3", TRUE, LINEAR);
  g_autofree double *x = draw_input (graph);
  g_autoptr (TpGraph) simple = check (graph, x, 1e-3);
  static const int axes[] = { 3, 1, 2 };

  g_assert_cmpint (simple->n_nodes, ==, 3);
  for (int i = 0; i < 3; i++)
    {
      g_assert_cmpstr (simple->nodes[i].type, ==, "Interpolate");
      g_assert_cmpint (tp_node_get_int (&simple->nodes[i], "axis", -1), ==,
                       axes[i]);
    }
  g_assert_cmpstr (simple->nodes[2].name, ==, graph->nodes[0].name);
  g_assert_cmpstr (simple->tensors[simple->outputs[0]].name, ==, "y");
}

/* What has no weight does not count, be it infinite. */
static void
test_infinity (void)
{
  const Shape shape = { 3, { 1, 1, 4 }, "float32" };
  const double x[] = { 1.0, INFINITY, 2.0, 3.0 };
  g_autoptr (TpGraph) graph = load (&shape, "1, 1, 8", TRUE,
                                    ", 'attrs': {'mode': 'linear', "
                                    "'coordinate_transformation_mode': "
                                    "'asymmetric'}");
  g_autoptr (TpGraph) simple = check (graph, x, 0.0);
  g_autoptr (GPtrArray) values = run (simple, x);
  const double *y = values->pdata[0];

  g_assert_cmpint (count_ops (simple, "Interpolate"), ==, 1);
  g_assert_cmpfloat (y[0], ==, 1.0);
  g_assert_cmpfloat (y[2], ==, INFINITY);
  g_assert_cmpfloat (y[4], ==, 2.0);
}

/* Integers are cut once, at the end; costs are for the op as it is; tables of
 * millions are not made. */
static void
test_whole (void)
{
  static const struct
  {
    Shape shape;
    const char *list, *node;
  } cases[] = {
    { { 3, { 1, 4, 4 }, "int64" }, "1, 7, 7", LINEAR },
    { { 3, { 1, 4, 4 }, "float32" }, "1, 7, 7", LINEAR
      ", 'cost': {'cpu': 5}" },
    { { 3, { 1, 1, 4 }, "float32" }, "1, 1, 3000000", LINEAR },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (TpGraph) graph
          = load (&cases[i].shape, cases[i].list, TRUE, cases[i].node);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) simple = tp_graph_simplify (graph, &error);

      g_assert_no_error (error);
      g_assert_cmpint (simple->n_nodes, ==, 1);
      g_assert_cmpint (count_ops (simple, "Resize"), ==, 1);
    }
}

static void
test_nothing (void)
{
  const Shape shape = { 3, { 2, 4, 4 }, "float32" };
  g_autoptr (TpGraph) graph = load (&shape, "2, 4, 4", TRUE, LINEAR);
  g_autofree double *x = draw_input (graph);
  g_autoptr (TpGraph) simple = check (graph, x, 0.0);

  g_assert_cmpint (simple->n_nodes, ==, 1);
  g_assert_cmpstr (simple->nodes[0].type, ==, "Identity");
}

/* ---- as it was before opset 11 ---------------------------------------------- */

/* Upsample says its scales in three ways; what shrinks looks up, in the
 * precision of the scale: 7 / 0.7f is 10 there, a little more in double. */
static void
test_before_11 (void)
{
  static const struct
  {
    int opset;
    const char *shape, *op;
    int n;
    double want[16];
  } cases[] = {
    { 10, "1, 1, 2, 4", "'Resize', 'inputs': ['x', 's']", 2, { 1, 3 } },
    { 9, "1, 1, 1, 2", "'Upsample', 'inputs': ['x', 't']", 8,
      { 1, 1, 2, 2, 1, 1, 2, 2 } },
    { 7, "1, 1, 1, 2",
      "'Upsample', 'inputs': ['x'], 'attrs': {'scales': [1, 1, 2, 2]}", 8,
      { 1, 1, 2, 2, 1, 1, 2, 2 } },
    { 6, "1, 1, 2, 2",
      "'Upsample', 'inputs': ['x'], 'attrs': {'height_scale': 1, "
      "'width_scale': 3, 'mode': 'nearest'}",
      12, { 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4 } },
    { 6, "1, 1, 1, 2",
      "'Upsample', 'inputs': ['x'], 'attrs': {'height_scale': 1, "
      "'width_scale': 2, 'mode': 'bilinear'}",
      4, { 1, 1.5, 2, 2 } },
    { 10, "1, 1, 1, 13", "'Resize', 'inputs': ['x', 'u']", 9,
      { 1, 3, 4, 6, 7, 9, 10, 11, 13 } },
  };
  const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{'format': 'tplan-graph/1', 'opset': %d, 'inputs': [{'name': 'x', "
          "'shape': [%s]}], 'initializers': [{'name': 's', 'shape': [4], "
          "'data': [1, 1, 0.6, 0.6]}, {'name': 't', 'shape': [4], 'data': "
          "[1, 1, 2, 2]}, {'name': 'u', 'shape': [4], 'data': [1, 1, 1, 0.7]}]"
          ", 'ops': [{'type': %s, 'outputs': ['y']}], 'outputs': ['y']}",
          cases[i].opset, cases[i].shape, cases[i].op);
      g_autoptr (TpGraph) graph = NULL, simple = NULL;
      g_autoptr (GPtrArray) values = NULL;

      graph = test_load_quoted (text);
      simple = check (graph, x, 0.0);
      values = run (simple, x);
      g_assert_cmpint (simple->tensors[simple->outputs[0]].count, ==,
                       cases[i].n);
      for (int k = 0; k < cases[i].n; k++)
        g_assert_cmpfloat (((const double *) values->pdata[0])[k], ==,
                           cases[i].want[k]);
    }
}

/* Extents that a small file declares take no time. */
static void
test_long (void)
{
  static const char *const nodes[] = {
    "['x', '', '', 's'], 'attrs': {'nearest_mode': 'floor', "
    "'coordinate_transformation_mode': 'asymmetric'}",
    "['x', 'r', '', 's'], 'attrs': {'coordinate_transformation_mode': "
    "'tf_crop_and_resize', 'mode': 'linear'}",
    "['x', '', '', 's'], 'attrs': {'coordinate_transformation_mode': 'align_corners'}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "{'format': 'tplan-graph/1', 'opset': 18, 'inputs': [{'name': 'x', 'shape': [1, "
          "1099511627776]}], 'initializers': [{'name': 's', 'shape': [2], 'dtype': 'int64', "
          "'data': [1, 4398046511104]}, {'name': 'r', 'shape': [4], 'data': [0, 0, 1, 1]}], "
          "'ops': [{'type': 'Resize', 'outputs': ['y'], 'inputs': %s}], 'outputs': ['y']}",
          nodes[i]);
      g_autoptr (TpGraph) graph = test_load_quoted (text), simple = NULL;
      g_autoptr (GError) error = NULL;

      simple = tp_graph_simplify (graph, &error);
      g_assert_no_error (error);
      g_assert_cmpint (simple->n_nodes, ==, 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/resize/nearest", test_nearest);
  g_test_add_data_func ("/resize/linear", "linear", test_weighted);
  g_test_add_data_func ("/resize/cubic", "cubic", test_weighted);
  g_test_add_data_func ("/resize/antialias/linear", "linear", test_antialias);
  g_test_add_data_func ("/resize/antialias/cubic", "cubic", test_antialias);
  g_test_add_func ("/resize/crop", test_crop);
  g_test_add_func ("/resize/policies", test_policies);
  g_test_add_func ("/resize/steps", test_steps);
  g_test_add_func ("/resize/infinity", test_infinity);
  g_test_add_func ("/resize/whole", test_whole);
  g_test_add_func ("/resize/nothing", test_nothing);
  g_test_add_func ("/resize/before-11", test_before_11);
  g_test_add_func ("/resize/long", test_long);
  return g_test_run ();
}
