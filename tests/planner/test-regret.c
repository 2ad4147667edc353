/* test-regret.c: what plans made from noisy figures really cost.
 *
 * Machines are made up, so the truth is known: every kernel is "measured" once
 * with an error, and the plan that comes of it is priced by the true figures. Its
 * regret is what it costs more than the cheapest plan for those. */
#include "config.h"

#include "calib/posterior.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "planner/place.h"
#include "random-graph.h"
#include "tests/calib/draw-normal.h"

#include <math.h>
#include <string.h>

#define N_NETS 100            /* with other random numbers four times that: means
                               * vary less */
#define BLOCK 4               /* ops */
#define N_KINDS 8             /* of blocks: equal ones have equal kernels */
#define VARIATION 0.003       /* of kernels on the same silicon */
#define LAUNCH_NS 1500

#define MAX_DEVICES 3

static const char *const device_names[]
    = { "cpu", "opencl:0", "opencl:1", NULL };

typedef enum
{
  CHAIN,
  RESIDUAL,
  DIAMOND,
  N_SHAPES
} Shape;

/* ---- networks ------------------------------------------------------------ */

/* What op @i reads besides its predecessor; -1: nothing. */
static int
find_other (Shape shape, int i)
{
  if (i % BLOCK != BLOCK - 1 || shape == CHAIN)
    return -1;
  return shape == RESIDUAL ? i - BLOCK + 1 : i - 2;
}

/* In a diamond the third op reads what the second does. */
static int
find_first (Shape shape, int i)
{
  return shape == DIAMOND && i % BLOCK == 2 ? i - 2 : i - 1;
}

static void
add_op (TpGraphBuilder *builder, Shape shape, int i)
{
  static const TpDimSpec row[] = { { 4, NULL } };
  static const TpNodeCost unused = { .device = "cpu", .time_ns = 1 };
  g_autoptr (GError) error = NULL;
  char names[3][24];
  const char *inputs[] = { names[0], names[1] }, *output = names[2];
  int other = find_other (shape, i);
  TpNode node = { .type = "Fancy", .name = names[2], .place = names[2],
                  .n_costs = 1, .costs = &unused };
  TpNodeNames ends = { other < 0 ? 1 : 2, inputs, 1, &output };
  TpTensorSpec spec = { names[2], TPLAN_DTYPE_FLOAT32, 1, row, names[2] };

  g_snprintf (names[0], sizeof names[0], "t%d", find_first (shape, i));
  g_snprintf (names[1], sizeof names[1], "t%d", other);
  g_snprintf (names[2], sizeof names[2], "t%d", i);
  tp_graph_builder_declare (builder, &spec, &error);
  g_assert_no_error (error);
  tp_graph_builder_add_node (builder, &node, ends, &error);
  g_assert_no_error (error);
}

static TpGraph *
new_net (Shape shape, int n_ops)
{
  static const TpDimSpec row[] = { { 4, NULL } };
  const TpTensorSpec input = { "t-1", TPLAN_DTYPE_FLOAT32, 1, row, "t-1" };
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("net", 17);
  g_autofree char *last = g_strdup_printf ("t%d", n_ops - 1);
  g_autoptr (GError) error = NULL;
  TpGraph *graph;

  tp_graph_builder_add_input (builder, &input, NULL);
  for (int i = 0; i < n_ops; i++)
    add_op (builder, shape, i);
  tp_graph_builder_add_output (builder, last, "outputs", NULL);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

/* ---- machines ------------------------------------------------------------ */

static double
draw_log (double low, double high)
{
  return exp (g_test_rand_double_range (log (low), log (high)));
}

typedef struct
{
  const char *name;
  int n_devices;
  gboolean is_gpu;            /* else the same silicon, so many times */
  double sd;                  /* of a measurement, relative */
  double most;                /* mean regret, percent; of a GPU: more than without
                               * heeding noise */
  double fused[2];            /* what groups take of what their ops do */
} Trial;

static void
fill_kernel (TpCosts *costs, int row, const double *times)
{
  for (int d = 0; d < costs->n_devices; d++)
    if (row < costs->n_nodes)
      tp_costs_node (costs, row, d)->time_ns = (gint64) times[d];
    else
      tp_costs_group (costs, row - costs->n_nodes, d)->time_ns
          = (gint64) times[d];
}

/* A GPU is good at some kernels and bad at others; the same silicon is as good,
 * nearly, and takes a while to launch. */
static double
draw_device (const Trial *trial, double host_ns)
{
  if (trial->is_gpu)
    return host_ns * draw_log (0.1, 10);
  return host_ns * exp (tp_test_draw_normal (VARIATION)) + LAUNCH_NS;
}

/* Blocks of any kind, in no order. */
static void
fill_kernels (TpCosts *costs, const Trial *trial)
{
  double times[N_KINDS][BLOCK + 1][MAX_DEVICES];
  int n_blocks = costs->n_nodes / BLOCK;

  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  for (int k = 0; k < N_KINDS; k++)
    for (int j = 0; j <= BLOCK; j++)
      {
        double host_ns = draw_log (2e4, 2e6);
        double fused = g_test_rand_double_range (trial->fused[0],
                                                 trial->fused[1]);

        for (int d = 0; d < costs->n_devices; d++)
          if (j == BLOCK) /* the group of the first two */
            times[k][j][d] = (times[k][0][d] + times[k][1][d]) * fused
                             * exp (tp_test_draw_normal (VARIATION / 2));
          else
            times[k][j][d] = d == 0 ? host_ns : draw_device (trial, host_ns);
      }
  for (int b = 0; b < n_blocks; b++)
    {
      int kind = g_test_rand_int_range (0, N_KINDS);

      for (int j = 0; j <= BLOCK; j++)
        {
          int row = j < BLOCK ? b * BLOCK + j : costs->n_nodes + b;

          fill_kernel (costs, row, times[kind][j]);
          costs->kernels[row] = 1 + kind * (BLOCK + 1) + j;
        }
    }
}

/* The true figures of a net. */
static void
case_init (TpTestCase *test, const Trial *trial, int round)
{
  Shape shape = round % N_SHAPES;
  int n_blocks = g_test_rand_int_range (8, 20);

  test->graph = new_net (shape, n_blocks * BLOCK);
  test->groups = tp_groups_new ();
  for (int b = 0; b < n_blocks; b++)
    tp_groups_add (test->groups, (const int[]){ b * BLOCK, b * BLOCK + 1 }, 2);
  test->costs = tp_costs_new (trial->n_devices, device_names, test->graph,
                              test->groups);
  fill_kernels (test->costs, trial);
  for (int i = 0; i < test->graph->n_tensors; i++)
    for (int d = 1; d < trial->n_devices; d++)
      {
        tp_costs_feed (test->costs, i, d)->time_ns = 4000 + 37 * (i % 50);
        tp_costs_fetch (test->costs, i, d)->time_ns = 5000 + 41 * (i % 50);
      }
}

/* One measurement, one error, wherever it stands. */
static void
disturb (TpCost *cost, const TpCost *first, double sd)
{
  double error = exp (tp_test_draw_normal (sd));

  if (first != NULL)
    {
      *cost = *first;
      return;
    }
  cost->time_ns = (gint64) (cost->time_ns * error);
  cost->spread_ns = (gint64) (cost->time_ns * sd * TP_COST_SPREADS);
}

static TpCost *
get_row (TpCosts *costs, int row, int device)
{
  return row < costs->n_nodes
             ? tp_costs_node (costs, row, device)
             : tp_costs_group (costs, row - costs->n_nodes, device);
}

static void
disturb_links (TpCosts *costs, int device, double sd)
{
  double feed = exp (tp_test_draw_normal (sd));
  double fetch = exp (tp_test_draw_normal (sd));

  for (int i = 0; i < costs->n_tensors; i++)
    {
      TpCost *cells[] = { tp_costs_feed (costs, i, device),
                          tp_costs_fetch (costs, i, device) };

      for (int k = 0; k < 2; k++)
        {
          cells[k]->time_ns
              = (gint64) (cells[k]->time_ns * (k ? fetch : feed));
          cells[k]->spread_ns
              = (gint64) (cells[k]->time_ns * sd * TP_COST_SPREADS);
        }
    }
}

/* What a calibration would have of @truth. */
static TpCosts *
measure (const TpTestCase *truth, double sd)
{
  int n_devices = truth->costs->n_devices;
  TpCosts *costs = tp_costs_new (n_devices, device_names, truth->graph,
                                 truth->groups);
  int n = costs->n_nodes + costs->n_groups;
  g_autofree int *first = g_new0 (int, n + 1);

  costs->kernels
      = g_memdup2 (truth->costs->kernels, sizeof (int) * (n + 1));
  for (int row = 0; row < n; row++)
    {
      int kernel = costs->kernels[row], known = first[kernel];

      for (int d = 0; d < n_devices; d++)
        {
          *get_row (costs, row, d) = *get_row (truth->costs, row, d);
          disturb (get_row (costs, row, d),
                   known > 0 ? get_row (costs, known - 1, d) : NULL, sd);
        }
      first[kernel] = row + 1;
    }
  memcpy (costs->feeds, truth->costs->feeds,
          n_devices * sizeof *costs->feeds * costs->n_tensors);
  memcpy (costs->fetches, truth->costs->fetches,
          n_devices * sizeof *costs->fetches * costs->n_tensors);
  for (int d = 1; d < n_devices; d++)
    disturb_links (costs, d, sd);
  return costs;
}

/* ---- regret -------------------------------------------------------------- */

/* What @plan, with the groups it chose, takes by @truth. */
static double
find_true_cost (const TpTestCase *truth, const TpPlan *plan)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  g_autofree int *group_of = tp_plan_map_groups (plan, truth->graph);
  double sum = tp_test_case_copies (truth, devices);

  for (int i = 0; i < plan->n_placements; i++)
    {
      int group = group_of[i];

      if (group < 0)
        sum += tp_costs_node (truth->costs, i, devices[i])->time_ns;
      else if (plan->groups->groups[group].nodes[0] == i)
        sum += tp_costs_group (truth->costs, i / BLOCK, devices[i])->time_ns;
    }
  return sum;
}

/* Percent. */
static double
find_regret (const TpTestCase *truth, const TpPlan *plan)
{
  g_autoptr (TpPlan) best = tp_place (truth->graph, truth->groups,
                                      truth->costs, "time", NULL);
  double cost = find_true_cost (truth, plan);

  g_assert_cmpfloat (cost, >=, best->cost_ns);
  return 100 * (cost / best->cost_ns - 1);
}

/* Adds to the sums. */
static void
measure_regrets (const TpTestCase *truth, const Trial *trial, double *raw,
                 double *heeded)
{
  g_autoptr (TpCosts) costs = measure (truth, trial->sd);
  int n = trial->n_devices * costs->n_groups;
  g_autofree double *expected = g_new (double, n + 1);
  g_autoptr (TpPlan) plan = NULL;
  g_autoptr (TpPlan) exact = tp_place (truth->graph, truth->groups, costs,
                                       "time", NULL);

  for (int i = 0; i < n; i++)
    expected[i] = log ((trial->fused[0] + trial->fused[1]) / 2);
  *raw += find_regret (truth, exact);
  tp_posterior_draw (costs, truth->groups, expected);
  costs->is_same_silicon = !trial->is_gpu;
  tp_costs_seal (costs);
  plan = tp_place_within_noise (truth->graph, truth->groups, costs, "time",
                                NULL);
  *heeded += find_regret (truth, plan);
}

static void
test_regret (gconstpointer data)
{
  const Trial *trial = data;
  int n_nets = tp_test_count_rounds (N_NETS, 4 * N_NETS);
  double raw = 0, heeded = 0;

  for (int round = 0; round < n_nets; round++)
    {
      TpTestCase *truth = g_new0 (TpTestCase, 1);

      case_init (truth, trial, round);
      measure_regrets (truth, trial, &raw, &heeded);
      tp_test_case_free (truth);
    }
  raw /= n_nets;
  heeded /= n_nets;
  g_test_message ("regret %.3f %%, without heeding noise %.3f %%", heeded,
                  raw);
  g_assert_cmpfloat (heeded, <=, trial->most + (trial->is_gpu ? raw : 0));
}

int
main (int argc, char **argv)
{
  static const Trial trials[] = {
    { "same-5", 2, FALSE, 0.05, 0.05, { 0.7, 0.9 } },
    { "same-10", 2, FALSE, 0.1, 0.1, { 0.7, 0.9 } },
    { "gpu-5", 2, TRUE, 0.05, 0.02, { 0.7, 0.9 } },
    { "gpu-10", 2, TRUE, 0.1, 0.02, { 0.7, 0.9 } },
    { "same-5-slight-gains", 2, FALSE, 0.05, 0.05, { 0.95, 1.0 } },
    { "same-10-slight-gains", 2, FALSE, 0.1, 0.1, { 0.95, 1.0 } },
    { "gpu-10-slight-gains", 2, TRUE, 0.1, 0.02, { 0.95, 1.0 } },
    { "same-10-some-lose", 2, FALSE, 0.1, 0.25, { 0.9, 1.02 } },
    { "three-same-5", 3, FALSE, 0.05, 0.05, { 0.7, 0.9 } },
    { "three-same-10", 3, FALSE, 0.1, 0.1, { 0.7, 0.9 } },
    { "three-gpu-5", 3, TRUE, 0.05, 0.02, { 0.7, 0.9 } },
    { "three-gpu-10", 3, TRUE, 0.1, 0.02, { 0.7, 0.9 } },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (trials); i++)
    {
      g_autofree char *path = g_strconcat ("/regret/", trials[i].name, NULL);

      g_test_add_data_func (path, &trials[i], test_regret);
    }
  return g_test_run ();
}
