/* bench-solve.c: how long placing and checking take on large generated graphs.
 *
 * usage: bench-solve [OPS]; default 100000. Median of 9 runs. Placing includes
 * building the network, the maximum flow, the plan and its digests. */
#include "config.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/network.h"
#include "planner/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_RUNS 9

typedef struct
{
  TpGraphBuilder *builder;
  GRand *random;
  int n_ops;
} Draft;

static void
add_op (Draft *draft, const char *type, int out, int a, int b)
{
  g_autoptr (GError) error = NULL;
  TpNode node = { .type = type, .place = "bench" };
  char names[3][24];
  const char *inputs[] = { names[0], b < -1 ? "w" : names[1] };
  const char *output = names[2];
  TpNodeNames ends = { b == -1 ? 1 : 2, inputs, 1, &output };

  g_snprintf (names[0], sizeof names[0], "t%d", a);
  g_snprintf (names[1], sizeof names[1], "t%d", b);
  g_snprintf (names[2], sizeof names[2], "t%d", out);
  if (!tp_graph_builder_add_node (draft->builder, &node, ends, &error))
    g_error ("%s", error->message);
}

/* Tensor -1 is the input; operand -2 stands for the weights. */
static void
draft_chain (Draft *draft)
{
  for (int i = 0; i < draft->n_ops; i++)
    if (i % 3 == 0)
      add_op (draft, "MatMul", i, i - 1, -2);
    else
      add_op (draft, "Relu", i, i - 1, -1);
}

/* Blocks of matmul, relu, matmul, relu, sum with the input of the block. */
static void
draft_residual (Draft *draft)
{
  for (int i = 0; i < draft->n_ops; i++)
    if (i % 5 == 4)
      add_op (draft, "Mul", i, i - 1, i - 5 < 0 ? 0 : i - 5);
    else if (i % 2 == 0)
      add_op (draft, "MatMul", i, i - 1, -2);
    else
      add_op (draft, "Relu", i, i - 1, -1);
}

static void
draft_random (Draft *draft)
{
  for (int i = 0; i < draft->n_ops; i++)
    if (i < 2 || g_rand_int_range (draft->random, 0, 4) == 0)
      add_op (draft, "MatMul", i, i - 1, -2);
    else
      add_op (draft, "Add", i, g_rand_int_range (draft->random, 0, i),
              g_rand_int_range (draft->random, MAX (0, i - 50), i));
}

static void
draft_grid (Draft *draft)
{
  int side = 1;

  while (side * side < draft->n_ops)
    side++;
  for (int i = 0; i < draft->n_ops; i++)
    if (i % side == 0 || i < side)
      add_op (draft, "MatMul", i, i % side ? i - 1 : i >= side ? i - side : -1,
              -2);
    else
      add_op (draft, "Mul", i, i - 1, i - side);
}

static const struct
{
  const char *name;
  void (*draft) (Draft *draft);
} topologies[] = {
  { "chain", draft_chain },
  { "residual", draft_residual },
  { "random", draft_random },
  { "grid", draft_grid },
};

static TpGraph *
new_graph (void (*make) (Draft *draft), int n_ops, GRand *random)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("bench", 17);
  const TpDimSpec dims[] = { { 4, NULL }, { 4, NULL } };
  const TpTensorSpec input = { "t-1", TPLAN_DTYPE_FLOAT32, 2, dims, "bench" };
  const TpTensor weights = { .name = "w",
                             .dtype = TPLAN_DTYPE_FLOAT32,
                             .rank = 2,
                             .dims = { 4, 4 },
                             .init = { .kind = TP_INIT_FILL, .value = 0.5 } };
  Draft draft = { builder, random, n_ops };
  char last[24];
  TpGraph *graph;

  g_snprintf (last, sizeof last, "t%d", n_ops - 1);
  tp_graph_builder_add_input (builder, &input, NULL);
  tp_graph_builder_add_constant (builder, &weights, "bench", NULL);
  make (&draft);
  tp_graph_builder_add_output (builder, last, "bench", NULL);
  graph = tp_graph_builder_finish (builder, NULL, &error);
  if (graph == NULL)
    g_error ("%s", error->message);
  return graph;
}

/* A device that is faster for some ops and slower for others, and a link that
 * costs about as much as it can save. */
static TpCosts *
new_costs (const TpGraph *graph, const TpGroups *groups, GRand *random)
{
  static const char *const devices[] = { "cpu", "opencl:0", NULL };
  TpCosts *costs = tp_costs_new (2, devices, graph, groups);

  for (int i = 0; i < 2 * costs->n_nodes; i++)
    costs->nodes[i].time_ns = g_rand_int_range (random, 1000, 40000);
  for (int i = 0; i < 2 * costs->n_groups; i++)
    costs->groups[i].time_ns = g_rand_int_range (random, 1000, 40000);
  for (int i = 0; i < costs->n_tensors; i++)
    {
      tp_costs_feed (costs, i, 1)->time_ns
          = g_rand_int_range (random, 5000, 20000);
      tp_costs_fetch (costs, i, 1)->time_ns
          = g_rand_int_range (random, 5000, 20000);
    }
  tp_costs_seal (costs);
  return costs;
}

/* Every figure off by a twentieth of itself, and some of one measurement. */
static void
add_noise (TpCosts *costs)
{
  int n = 2 * (costs->n_nodes + costs->n_groups);

  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  for (int i = 0; i < n; i++)
    {
      TpCost *cost = i < 2 * costs->n_nodes
                         ? &costs->nodes[i]
                         : &costs->groups[i - 2 * costs->n_nodes];

      cost->spread_ns = cost->time_ns / 10;
      costs->kernels[i / 2] = 1 + i / 2 % 1000;
    }
  for (int i = 0; i < 2 * costs->n_tensors; i++)
    {
      costs->feeds[i].spread_ns = costs->feeds[i].time_ns / 10;
      costs->fetches[i].spread_ns = costs->fetches[i].time_ns / 10;
    }
  tp_costs_seal (costs);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

/* Building the cut network and solving it: the placement, without the plan's
 * digests and the text of its proof. */
static gint64
time_solve (const TpGraph *graph, const TpGroups *groups, TpCosts *costs)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (TpProblem) problem
      = tp_problem_new (graph, groups, costs, "time", NULL);
  g_autoptr (TpNetwork) network = tp_network_new (problem);

  tp_network_solve (network);
  return g_get_monotonic_time () - start;
}

static gint64
find_median (gint64 *times_us)
{
  qsort (times_us, N_RUNS, sizeof *times_us, compare_times);
  return times_us[N_RUNS / 2];
}

static TpPlan *
time_place (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
            gboolean heeds_noise, gint64 *out_us)
{
  gint64 start = g_get_monotonic_time ();
  TpPlan *plan = heeds_noise ? tp_place_within_noise (graph, groups, costs,
                                                      "time", NULL)
                             : tp_place (graph, groups, costs, "time", NULL);

  *out_us = g_get_monotonic_time () - start;
  return plan;
}

static gint64
time_check (const TpPlan *plan, const TpGraph *graph)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (!tp_check (plan, graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  return g_get_monotonic_time () - start;
}

static void
run (const char *name, const TpGraph *graph, GRand *random)
{
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
  g_autoptr (TpCosts) costs = new_costs (graph, groups, random);
  gint64 solve_us[N_RUNS], place_us[2][N_RUNS], check_us[2][N_RUNS];
  int n_device = 0, n_copies[2] = { 0, 0 };

  for (int k = 0; k < 2; k++)
    {
      if (k == 1)
        add_noise (costs);
      for (int r = 0; r < N_RUNS; r++)
        {
          g_autoptr (TpPlan) plan
              = time_place (graph, groups, costs, k == 1, &place_us[k][r]);

          check_us[k][r] = time_check (plan, graph);
          if (k == 0)
            solve_us[r] = time_solve (graph, groups, costs);
          n_copies[k] = plan->n_transfers;
          n_device = 0;
          for (int i = 0; i < plan->n_placements; i++)
            n_device += plan->placements[i].cheapest;
        }
    }
  printf ("%-9s %6d %6d %6d %6d %7.1f %7.1f %7.1f  %6d %7.1f %7.1f\n", name,
          graph->n_nodes, groups->n_groups, n_device, n_copies[0],
          find_median (solve_us) / 1e3, find_median (place_us[0]) / 1e3,
          find_median (check_us[0]) / 1e3, n_copies[1],
          find_median (place_us[1]) / 1e3, find_median (check_us[1]) / 1e3);
}

static void
print_machine (void)
{
  g_autofree char *text = NULL;
  const char *model, *end;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return;
  model = strstr (text, "model name");
  model = model == NULL ? NULL : strchr (model, ':');
  end = model == NULL ? NULL : strchr (model, '\n');
  if (end != NULL)
    printf ("machine: %.*s, %u processors\n", (int) (end - model - 2),
            model + 2, g_get_num_processors ());
}

int
main (int argc, char **argv)
{
  int n_ops = argc > 1 ? atoi (argv[1]) : 100000;

  print_machine ();
  printf ("solve: network and cut of a generated graph; plan: that with digests "
          "and\nproof; check: of the plan; then a plan and its check for figures "
          "with noise;\nms, medians of %d runs\n", N_RUNS);
  printf ("%-9s %6s %6s %6s %6s %7s %7s %7s  %6s %7s %7s\n", "graph", "ops",
          "groups", "device", "copies", "solve", "plan", "check", "copies",
          "plan", "check");
  for (gsize i = 0; i < G_N_ELEMENTS (topologies); i++)
    {
      GRand *random = g_rand_new_with_seed (7);
      g_autoptr (TpGraph) graph
          = new_graph (topologies[i].draft, MAX (n_ops, 10), random);

      run (topologies[i].name, graph, random);
      g_rand_free (random);
    }
  return 0;
}
