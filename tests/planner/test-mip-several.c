/* test-mip-several.c: placements on three and four devices of a made-up machine
 * against a mixed integer program: a processor that is the host, two accelerators,
 * and one more that lacks kernels for some ops; of random graphs, and of steps of
 * training. */
#include "config.h"

#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "planner/place.h"
#include "random-graph.h"

#include <glpk.h>

#define N_ROUNDS 200
#define N_STEPS 40

typedef struct
{
  glp_prob *problem;
  const TpTestCase *test;
  int k;
} Mip;

static int
add_column (Mip *mip, double cost)
{
  int column = glp_add_cols (mip->problem, 1);

  glp_set_col_bnds (mip->problem, column, GLP_DB, 0, 1);
  glp_set_obj_coef (mip->problem, column, cost);
  return column;
}

/* Column of "op @node is on @device". */
static int
find_column (const Mip *mip, int node, int device)
{
  return 1 + node * mip->k + device;
}

/* Each op is on one device that it may be on. */
static void
add_nodes (Mip *mip)
{
  const TpTestCase *test = mip->test;

  for (int i = 0; i < test->graph->n_nodes; i++)
    for (int d = 0; d < mip->k; d++)
      {
        const char *const *pins = test->graph->nodes[i].pins;
        gint64 cost = tp_costs_node (test->costs, i, d)->time_ns;
        gboolean may = cost != TP_COST_NONE
                       && (pins == NULL
                           || g_strv_contains (pins, test->costs->devices[d]));
        int column = add_column (mip, may ? cost : 0);

        g_assert_cmpint (column, ==, find_column (mip, i, d));
        glp_set_col_kind (mip->problem, column, GLP_BV);
        if (!may)
          glp_set_col_bnds (mip->problem, column, GLP_FX, 0, 0);
      }
  for (int i = 0; i < test->graph->n_nodes; i++)
    {
      int row = glp_add_rows (mip->problem, 1), columns[8] = { 0 };
      double ones[8] = { 0 };

      for (int d = 0; d < mip->k; d++)
        columns[d + 1] = find_column (mip, i, d), ones[d + 1] = 1;
      glp_set_row_bnds (mip->problem, row, GLP_FX, 1, 1);
      glp_set_mat_row (mip->problem, row, mip->k, columns, ones);
    }
}

/* @copy >= @maker + @reader - 1; no maker: the caller; no reader: likewise. */
static void
add_copy_row (Mip *mip, int copy, int maker, int reader)
{
  int row = glp_add_rows (mip->problem, 1), n = 1;
  int columns[4] = { 0, copy };
  double values[4] = { 0, -1 };

  if (maker > 0)
    columns[++n] = maker, values[n] = 1;
  if (reader > 0)
    columns[++n] = reader, values[n] = 1;
  glp_set_row_bnds (mip->problem, row, GLP_UP, 0, n - 2);
  glp_set_mat_row (mip->problem, row, n, columns, values);
}

/* From @from to @to, places; the host of the caller may be one. */
static void
add_copy (Mip *mip, int index, int from, int to)
{
  const TpTensor *tensor = &mip->test->graph->tensors[index];
  int host = mip->test->costs->host;
  int maker
      = tensor->producer < 0 ? 0 : find_column (mip, tensor->producer, from);
  int copy = add_column (
      mip, tp_costs_copy (mip->test->costs, index, from, to).time_ns);

  if (tensor->is_output && tensor->producer >= 0 && to == host)
    add_copy_row (mip, copy, maker, 0);
  for (int k = 0; k < tensor->n_consumers && to >= 0; k++)
    add_copy_row (mip, copy, maker,
                  find_column (mip, tensor->consumers[k], to));
}

static void
add_tensors (Mip *mip)
{
  const TpTestCase *test = mip->test;

  for (int i = 0; i < test->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &test->graph->tensors[i];

      if (tp_tensor_is_constant (tensor))
        continue;
      for (int to = TP_COSTS_HOST; to < mip->k; to++)
        if (tensor->producer < 0 && to != test->costs->host)
          add_copy (mip, i, test->costs->host, to);
        else if (tensor->producer >= 0)
          for (int from = 0; from < mip->k; from++)
            if (from != to)
              add_copy (mip, i, from, to);
    }
}

/* A group's gain is had when all members are there. */
static void
add_group (Mip *mip, int index, int device)
{
  const TpTestCase *test = mip->test;
  const TpGroup *group = &test->groups->groups[index];
  gint64 fused = tp_costs_group (test->costs, index, device)->time_ns;
  gint64 gain = 0;
  int column;

  for (int i = 0; i < group->n_nodes; i++)
    {
      gint64 cost
          = tp_costs_node (test->costs, group->nodes[i], device)->time_ns;

      if (cost == TP_COST_NONE)
        return;
      gain += cost;
    }
  if (fused == TP_COST_NONE || gain <= fused)
    return;
  column = add_column (mip, -(double) (gain - fused));
  for (int i = 0; i < group->n_nodes; i++)
    {
      int row = glp_add_rows (mip->problem, 1);
      int columns[]
          = { 0, column, find_column (mip, group->nodes[i], device) };
      double values[] = { 0, 1, -1 };

      glp_set_row_bnds (mip->problem, row, GLP_UP, 0, 0);
      glp_set_mat_row (mip->problem, row, 2, columns, values);
    }
}

/* Ops of one name are on one device. */
static void
add_together (Mip *mip, int node, int other)
{
  for (int d = 0; d < mip->k; d++)
    {
      int row = glp_add_rows (mip->problem, 1);
      int columns[]
          = { 0, find_column (mip, node, d), find_column (mip, other, d) };
      double values[] = { 0, 1, -1 };

      glp_set_row_bnds (mip->problem, row, GLP_FX, 0, 0);
      glp_set_mat_row (mip->problem, row, 2, columns, values);
    }
}

static void
add_colocations (Mip *mip)
{
  const TpGraph *graph = mip->test->graph;

  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = 0; k < i && graph->nodes[i].colocation != NULL; k++)
      if (g_strcmp0 (graph->nodes[i].colocation, graph->nodes[k].colocation)
          == 0)
        add_together (mip, i, k);
}

static double
solve_mip (const TpTestCase *test)
{
  Mip mip = { glp_create_prob (), test, test->costs->n_devices };
  glp_iocp options;
  double value;

  add_nodes (&mip);
  add_tensors (&mip);
  add_colocations (&mip);
  for (int g = 0; g < test->groups->n_groups; g++)
    for (int d = 0; d < mip.k; d++)
      add_group (&mip, g, d);
  glp_init_iocp (&options);
  options.presolve = GLP_ON;
  g_assert_cmpint (glp_intopt (mip.problem, &options), ==, 0);
  value = glp_mip_obj_val (mip.problem);
  glp_delete_prob (mip.problem);
  return value;
}

/* Accelerators are faster by a factor of their own, the last of four has kernels
 * for half of the ops; links take what tensors of one size take. */
static TpTestCase *
make_case (int round)
{
  TpTestSpec spec = { .n_ops = 6 + round % 20, .n_devices = 3 + round % 2,
                      .max_cost = 2000, .has_pins = round % 4 == 0,
                      .has_gaps = round % 3 == 0, .has_groups = TRUE,
                      .has_together = round % 5 < 2 };
  TpTestCase *test = tp_test_case_new (&spec);
  TpCosts *costs = test->costs;

  for (int d = 1; d < costs->n_devices; d++)
    {
      int speed = g_test_rand_int_range (1, 9);

      for (int i = 0; i < costs->n_nodes; i++)
        {
          TpCost *cost = tp_costs_node (costs, i, d);
          gint64 host = tp_costs_node (costs, i, 0)->time_ns;

          if (cost->time_ns != TP_COST_NONE && host != TP_COST_NONE)
            cost->time_ns = 40 + host / speed + cost->time_ns / 8;
          if (d == 3 && host != TP_COST_NONE && g_test_rand_bit ())
            *cost = (TpCost){ .time_ns = TP_COST_NONE,
                              .reason = g_intern_static_string ("no kernel") };
        }
    }
  tp_costs_seal (costs);
  return test;
}

static void
test_mip (void)
{
  int n = 0, n_equal = 0, n_proved = 0;
  double worst = 0;

  for (int round = 0; n < N_ROUNDS; round++)
    {
      g_autoptr (TpTestCase) test = make_case (round);
      g_autoptr (TpPlan) plan = tp_place (test->graph, test->groups,
                                          test->costs, "time", NULL);
      double least;

      if (plan == NULL)
        continue;             /* pinned to what lacks the kernel */
      least = solve_mip (test);
      n++;
      g_assert_cmpfloat (plan->bound_ns, <=, least + 0.01);
      g_assert_cmpfloat (plan->cost_ns, >=, least - 0.01);
      tp_test_assert_checked (plan, test->graph);
      n_equal += plan->cost_ns <= least + 0.01;
      n_proved += plan->cost_ns == plan->bound_ns;
      worst = MAX (worst,
                   (double) (plan->cost_ns - plan->bound_ns)
                       / (double) MAX (plan->cost_ns, 1));
    }
  g_test_message ("%d of %d cost what the program finds, %d are proved least, "
                  "the worst gap is %.3f %%",
                  n_equal, n, n_proved, 100 * worst);
  g_assert_cmpint (n_equal * 100, >=, n * 95);
}

/* ---- steps of training ------------------------------------------------- */

static const TpDimSpec row[] = { { 4, NULL } };

static void
add_step_op (TpGraphBuilder *builder, int layer, gboolean is_back,
             const char *const *inputs)
{
  g_autoptr (GError) error = NULL;
  static const TpNodeCost unused = { .device = "cpu", .time_ns = 1 };
  g_autofree char *name = g_strdup_printf (is_back ? "d%d" : "y%d", layer);
  g_autofree char *colour = g_strdup_printf ("layer%d", layer);
  TpNode node = { .type = "Fancy", .name = name, .place = name, .n_costs = 1,
                  .costs = &unused,
                  .colocation = layer % 2 == 0 ? colour : NULL };
  const char *outputs[] = { name };
  TpNodeNames names = { .inputs = inputs,
                        .n_inputs = (int) g_strv_length ((char **) inputs),
                        .outputs = outputs, .n_outputs = 1 };
  TpTensorSpec spec = { name, TPLAN_DTYPE_FLOAT32, 1, row, name };

  tp_graph_builder_declare (builder, &spec, &error);
  tp_graph_builder_add_node (builder, &node, names, &error);
  g_assert_no_error (error);
}

/* Layers one after the other, forward and back. The way back reads what the way on
 * made. Every second layer has parameters: both ways of it are on one device. */
static TpGraph *
new_step (int n_layers)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("step", 17);
  const TpTensorSpec x = { "y-1", TPLAN_DTYPE_FLOAT32, 1, row, "y-1" };
  TpGraph *graph;

  tp_graph_builder_add_input (builder, &x, NULL);
  for (int i = 0; i < 2 * n_layers; i++)
    {
      gboolean is_back = i >= n_layers, is_last = i == n_layers;
      int layer = is_back ? 2 * n_layers - 1 - i : i;
      g_autofree char *before = g_strdup_printf ("y%d", layer - 1);
      g_autofree char *after
          = g_strdup_printf (is_last ? "y%d" : "d%d", layer + !is_last);
      const char *inputs[] = { before, is_back ? after : NULL, NULL };

      add_step_op (builder, layer, is_back, inputs);
    }
  tp_graph_builder_add_output (builder, "d0", "outputs", &error);
  g_assert_no_error (error);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

/* Copies take about as long as ops, and each device is the fastest for some. */
static TpTestCase *
make_step (int n_layers)
{
  static const char *const devices[] = { "cpu", "opencl:0", "opencl:1", NULL };
  TpTestCase *test = g_new0 (TpTestCase, 1);

  test->graph = new_step (n_layers);
  test->groups = tp_groups_new ();
  test->costs = tp_costs_new (3, devices, test->graph, test->groups);
  test->costs->host = 0;
  for (int d = 0; d < 3; d++)
    {
      int slow = g_test_rand_int_range (2, 9);

      for (int i = 0; i < test->graph->n_nodes; i++)
        tp_costs_node (test->costs, i, d)->time_ns
            = slow * g_test_rand_int_range (100, 4000);
      for (int i = 0; i < test->graph->n_tensors; i++)
        {
          int size = g_test_rand_int_range (100, 4000);

          tp_costs_feed (test->costs, i, d)->time_ns
              = d > 0 ? size * slow / 4 : 0;
          tp_costs_fetch (test->costs, i, d)->time_ns
              = d > 0 ? size * slow / 4 : 0;
        }
    }
  tp_costs_seal (test->costs);
  return test;
}

/* Rings of ops and copies, where sweeps stop too low and a tree has too much to try.
 * What is large takes the program too long: that it is proved says enough. */
static void
test_steps (void)
{
  int n_proved = 0, n_trees = 0;

  for (int round = 0; round < N_STEPS; round++)
    {
      int n_layers = 10 + 2 * round;
      g_autoptr (TpTestCase) test = make_step (n_layers);
      g_autoptr (TpPlan) plan = tp_place (test->graph, test->groups,
                                          test->costs, "time", NULL);

      tp_test_assert_checked (plan, test->graph);
      if (n_layers < 30)
        {
          double least = solve_mip (test);

          g_assert_cmpfloat (plan->bound_ns, <=, least + 0.01);
          g_assert_cmpfloat (plan->cost_ns, <=, least + 0.01);
        }
      n_proved += plan->cost_ns == plan->bound_ns;
      n_trees += plan->share_proof->entries->len > 1;
    }
  g_test_message ("%d of %d are proved least, %d by a tree", n_proved, N_STEPS,
                  n_trees);
  g_assert_cmpint (n_proved * 100, >=, N_STEPS * 95);
  g_assert_cmpint (n_trees * 100, <=, N_STEPS * 20);
}

int
main (int argc, char **argv)
{
  glp_term_out (GLP_OFF);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mip/several", test_mip);
  g_test_add_func ("/mip/steps", test_steps);
  return g_test_run ();
}
