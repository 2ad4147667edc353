/* test-scatter.c: a Scatter by constant indices gives what it gave as a whole when
 * it is a Gather and a Where. */
#include "config.h"

#include "graph/pass.h"
#include "ir/op.h"
#include "ops/reference.h"
#include "quoted-graph.h"
#include "quoted-graph.h"

#include <string.h>

#define N_TRIALS 200
#define INT g_test_rand_int_range

static char *
format_ints (const gint64 *values, gint64 n)
{
  GString *text = g_string_new (NULL);

  for (gint64 i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", (int) values[i]);
  return g_string_free (text, FALSE);
}

static gint64
multiply (const gint64 *dims, int n)
{
  gint64 product = 1;

  for (int i = 0; i < n; i++)
    product *= dims[i];
  return product;
}

typedef struct
{
  int rank;
  const gint64 *dims;
} Shape;

/* One op and what it reads. */
typedef struct
{
  const char *type, *attrs, *dtype;
  Shape x, index, update;
  const gint64 *indices;
} Case;

static TpGraph *
load (const Case *it)
{
  g_autofree char *shape = format_ints (it->x.dims, it->x.rank);
  g_autofree char *index_shape = format_ints (it->index.dims, it->index.rank);
  g_autofree char *update_shape = format_ints (it->update.dims, it->update.rank);
  g_autofree char *data = format_ints (
      it->indices, multiply (it->index.dims, it->index.rank));
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 18, 'inputs': ["
      "{'name': 'x', 'shape': [%s], 'dtype': '%s'}, "
      "{'name': 'u', 'shape': [%s], 'dtype': '%s'}], 'initializers': ["
      "{'name': 'i', 'shape': [%s], 'dtype': 'int64', 'data': [%s]}], "
      "'ops': [{'type': '%s', 'inputs': ['x', 'i', 'u'], 'outputs': ['y'], "
      "'attrs': {%s}}], 'outputs': ['y']}",
      shape, it->dtype, update_shape, it->dtype, index_shape, data, it->type,
      it->attrs);

  return test_load_quoted (text);
}

/* Positions with either sign, some past the ends, some twice. */
static gint64
draw_index (gint64 extent)
{
  return INT (0, 20) == 0 ? extent + INT (0, 3) : INT (-extent, extent);
}

static TpGraph *
draw_nd (const char *dtype, const char *attrs)
{
  gint64 dims[4], index_dims[3], update_dims[8], indices[4 * 36];
  int rank = INT (1, 5);
  int n_named = INT (1, rank + 1);
  int n_rows = INT (0, 3);    /* dimensions of positions */

  for (int i = 0; i < rank; i++)
    dims[i] = INT (1, 5);
  for (int i = 0; i < n_rows; i++)
    update_dims[i] = index_dims[i] = INT (1, 7);
  index_dims[n_rows] = n_named;
  memcpy (update_dims + n_rows, dims + n_named,
          (rank - n_named) * sizeof dims[0]);
  for (gint64 i = 0; i < multiply (index_dims, n_rows + 1); i++)
    indices[i] = draw_index (dims[i % n_named]);
  return load (&(Case){ .type = "ScatterND",
                        .attrs = attrs,
                        .dtype = dtype,
                        .x = { rank, dims },
                        .index = { n_rows + 1, index_dims },
                        .update = { n_rows + rank - n_named, update_dims },
                        .indices = indices });
}

static TpGraph *
draw_elements (const char *dtype, const char *more)
{
  gint64 dims[3], index_dims[3], indices[7 * 6 * 6];
  int rank = INT (1, 4);
  int axis = INT (0, rank);
  g_autofree char *attrs = g_strdup_printf (
      "'axis': %d%s%s", INT (0, 2) ? axis : axis - rank, *more ? ", " : "",
      more);

  for (int i = 0; i < rank; i++)
    {
      dims[i] = INT (1, 7);
      index_dims[i] = i == axis ? INT (1, 8) : INT (1, dims[i] + 1);
    }
  for (gint64 i = 0; i < multiply (index_dims, rank); i++)
    indices[i] = draw_index (dims[axis]);
  return load (&(Case){
      .type = more[0] == '\0' && INT (0, 2) ? "Scatter" : "ScatterElements",
      .attrs = attrs,
      .dtype = dtype,
      .x = { rank, dims },
      .index = { rank, index_dims },
      .update = { rank, index_dims },
      .indices = indices });
}

static double *
run (const TpGraph *graph, double *const *inputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) values = tp_graph_run_reference (
      graph, (const double *const *) inputs, FALSE, &error);

  g_assert_no_error (error);
  return g_memdup2 (values->pdata[0],
                    graph->tensors[graph->outputs[0]].count * sizeof (double));
}

static int
count_scatters (const TpGraph *graph)
{
  int n = 0;

  for (int i = 0; i < graph->n_nodes; i++)
    n += g_str_has_prefix (graph->nodes[i].type, "Scatter");
  return n;
}

/* Whether the Scatter went; the output must be the same. */
static gboolean
is_split (const TpGraph *graph)
{
  double *inputs[2];
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) simple = tp_graph_simplify (graph, &error);
  g_autofree double *want = NULL, *got = NULL;

  g_assert_no_error (error);
  for (int i = 0; i < 2; i++)
    {
      const TpTensor *x = &graph->tensors[graph->inputs[i]];

      inputs[i] = g_new (double, x->count);
      for (gint64 k = 0; k < x->count; k++)
        inputs[i][k] = INT (0, x->dtype == TPLAN_DTYPE_BOOL ? 2 : 200);
    }
  want = run (graph, inputs);
  got = run (simple, inputs);
  g_assert_cmpmem (
      want, graph->tensors[graph->outputs[0]].count * sizeof *want, got,
      simple->tensors[simple->outputs[0]].count * sizeof *got);
  g_free (inputs[0]);
  g_free (inputs[1]);
  return count_scatters (simple) == 0;
}

static void
test_random (gconstpointer is_nd)
{
  static const char *const dtypes[] = { "float32", "int64", "uint8", "bool" };

  for (int i = 0; i < N_TRIALS; i++)
    {
      g_autoptr (TpGraph) graph = is_nd ? draw_nd (dtypes[i % 4], "")
                                        : draw_elements (dtypes[i % 4], "");

      g_assert_true (is_split (graph));
    }
}

/* What combines stays as it is. */
static void
test_reduction (void)
{
  static const char *const attrs[] = { "'reduction': 'add'",
                                       "'reduction': 'max'" };

  for (gsize i = 0; i < G_N_ELEMENTS (attrs); i++)
    {
      g_autoptr (TpGraph) nd = draw_nd ("float32", attrs[i]);
      g_autoptr (TpGraph) elements = draw_elements ("float32", attrs[i]);

      g_assert_false (is_split (nd));
      g_assert_false (is_split (elements));
    }
}

/* Where nothing is left of the data, nothing reads them: reversed rows. */
static void
test_all (void)
{
  const gint64 dims[] = { 3, 2 }, index_dims[] = { 3, 1 };
  const gint64 indices[] = { 2, -2, 0 };
  g_autoptr (TpGraph) graph = load (&(Case){ .type = "ScatterND",
                                             .attrs = "",
                                             .dtype = "float32",
                                             .x = { 2, dims },
                                             .index = { 2, index_dims },
                                             .update = { 2, dims },
                                             .indices = indices });
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) simple = tp_graph_simplify (graph, &error);
  double x[6] = { 0 }, u[] = { 1, 2, 3, 4, 5, 6 };
  double *inputs[] = { x, u };
  const double want[] = { 5, 6, 3, 4, 1, 2 };
  g_autofree double *got = NULL;

  g_assert_no_error (error);
  got = run (simple, inputs);
  g_assert_cmpmem (got, sizeof want, want, sizeof want);
  g_assert_cmpint (simple->tensors[simple->inputs[0]].n_consumers, ==, 0);
}

/* A constant may be said in a few words and be of billions of elements: it is not
 * unpacked to look for what it names. */
static void
test_large (void)
{
  g_autofree char *text = g_strdup (
      "{'format': 'tplan-graph/1', 'opset': 18, 'inputs': ["
      "{'name': 'x', 'shape': [2]}], 'initializers': ["
      "{'name': 'i', 'shape': [1000000000, 1], 'dtype': 'int64', 'fill': 0}, "
      "{'name': 'u', 'shape': [1000000000], 'fill': 0}], 'ops': [{'type': "
      "'ScatterND', 'inputs': ['x', 'i', 'u'], 'outputs': ['y']}], "
      "'outputs': ['y']}");
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = NULL, simple = NULL;

  graph = test_load_quoted (text);
  simple = tp_graph_simplify (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_scatters (simple), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/scatter/nd", "nd", test_random);
  g_test_add_data_func ("/scatter/elements", NULL, test_random);
  g_test_add_func ("/scatter/reduction", test_reduction);
  g_test_add_func ("/scatter/all", test_all);
  g_test_add_func ("/scatter/large", test_large);
  return g_test_run ();
}
