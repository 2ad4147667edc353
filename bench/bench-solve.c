/* bench-solve.c: how long placing and checking take on large generated graphs.
 *
 * usage: bench-solve [OPS [NETWORKS]]; default 100000, and ../examples, where the
 * networks are whose plans are all made as one thing changes. Median of 9 runs. Placing is all that
 * is done once the figures are looked up: the posterior where there is noise,
 * their digest, the network, its flow or flows, the plan and its certificate; the
 * digest of the graph is kept with it, so the first run alone has that.
 * Checking is two things, as `tplan check` does them: the proof, for the figures
 * that the plan has, and what it stands on, made again from the graph. Both
 * together, which is side by side, are to take at most a quarter of placing and of
 * counting the memory of the plan. */
#include "config.h"

#include "api/bind.h"
#include "calib/certain.h"
#include "calib/posterior.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "ir/compare.h"
#include "ir/plan-memory.h"
#include "planner/check/check.h"
#include "planner/fuse.h"
#include "planner/network.h"
#include "planner/place.h"
#include "solve-envelope.h"

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
                             .dims = (gint64[]){ 4, 4 },
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

static const char *const devices[] = { "cpu", "opencl:0", NULL };

/* A made-up machine. Of kernels, @n_kernels measurements are taken (0: one for
 * each), which @n_alike ops in a row share; @spread is that of a figure, as part
 * of it. */
typedef struct
{
  const char *name;
  int n_kernels, n_alike;
  double spread;
  void (*draw) (GRand *random, int number, gint64 *out_times_ns);
} Figures;

/* A device that is faster for some ops and slower for others. */
static void
draw_any (GRand *random, int number, gint64 *out_times_ns)
{
  for (int d = 0; d < 2; d++)
    out_times_ns[d] = g_rand_int_range (random, 1000, 40000);
}

/* A device that is far slower for some, and for the others hardly faster. */
static void
draw_close (GRand *random, int number, gint64 *out_times_ns)
{
  out_times_ns[0] = g_rand_int_range (random, 10000, 40000);
  out_times_ns[1] = out_times_ns[0] * (number % 2 == 0 ? 3.0 : 0.97);
}

static const Figures all_figures[] = {
  { "exact", 0, 1, 0, draw_any },
  { "noisy", 1000, 1, 0.1, draw_any },
  { "tied", 10, 64, 0.14, draw_close },
};

static void
fill_kernels (TpCosts *costs, const Figures *figures, GRand *random)
{
  int n_rows = costs->n_nodes + costs->n_groups;
  int n = figures->n_kernels > 0 ? figures->n_kernels : n_rows;
  g_autofree gint64 *times_ns = g_new (gint64, 2 * (gsize) n + 1);

  for (int i = 0; i < n; i++)
    figures->draw (random, i, &times_ns[2 * i]);
  costs->kernels = g_new0 (int, n_rows + 1);
  for (int i = 0; i < n_rows; i++)
    {
      int number = i / figures->n_alike % n;
      TpCost *cells = i < costs->n_nodes
                          ? tp_costs_node (costs, i, 0)
                          : tp_costs_group (costs, i - costs->n_nodes, 0);

      for (int d = 0; d < 2; d++)
        {
          cells[d].time_ns = times_ns[2 * number + d];
          cells[d].spread_ns = cells[d].time_ns * figures->spread;
        }
      costs->kernels[i] = figures->n_kernels > 0 ? 1 + number : 0;
    }
}

/* About as dear as what it can save. */
static void
fill_link (TpCosts *costs, const TpGraph *graph, const Figures *figures,
           GRand *random)
{
  for (int i = 0; i < 2 * costs->n_tensors; i++)
    {
      TpCost *cost = i % 2 == 0 ? tp_costs_feed (costs, i / 2, 1)
                                : tp_costs_fetch (costs, i / 2, 1);

      cost->time_ns = g_rand_int_range (random, 5000, 20000);
      if (tp_tensor_is_resident (&graph->tensors[i / 2]))
        cost->time_ns = 0;
      cost->spread_ns = cost->time_ns * figures->spread;
    }
}

static TpCosts *
new_costs (const TpGraph *graph, const TpGroups *groups,
           const Figures *figures)
{
  TpCosts *costs = tp_costs_new (2, devices, graph, groups);
  GRand *random = g_rand_new_with_seed (7);

  fill_kernels (costs, figures, random);
  fill_link (costs, graph, figures, random);
  g_rand_free (random);
  return costs;
}

static double
find_median_ms (gint64 *times_us, int n)
{
  qsort (times_us, n, sizeof *times_us, tp_compare_int64);
  return times_us[n / 2] / 1e3;
}

/* Building the cut network and solving it: the cheapest placement, without the
 * digests and the certificate. */
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

/* What calib and planner do with @costs, in which they leave what they find. */
static TpPlan *
time_place (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
            gboolean has_noise, gint64 *out_us)
{
  g_autofree double *expected = g_new0 (double, 2 * groups->n_groups + 1);
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  TpPlan *plan;

  if (has_noise)
    tp_posterior_draw (costs, groups, expected);
  tp_costs_seal (costs);
  plan = has_noise ? tp_place_within_noise (graph, groups, costs, "time",
                                            &error)
                   : tp_place (graph, groups, costs, "time", &error);
  if (plan == NULL)
    g_error ("%s", error->message);
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

/* What a plan takes of memory, which is counted once it is placed. */
static gint64
time_memory (TpPlan *plan, const TpGraph *graph)
{
  gint64 start = g_get_monotonic_time ();

  tp_plan_count_memory (plan, graph);
  return g_get_monotonic_time () - start;
}

/* What a plan has besides that was made of a table: how @kernels are numbered there,
 * and what the figures depend on. */
static void
complete (TpPlan *plan, const TpGraph *graph, const int *kernels)
{
  memcpy (plan->costs->kernels, kernels,
          sizeof *kernels * (graph->n_nodes + plan->all_groups->n_groups));
  plan->origin.facts = g_strsplit ("cpu=it,cpu=it", ",", -1);
}

static gint64
time_bind (TpPlan *plan, const TpGraph *graph, const int *kernels)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  gint64 start;

  complete (plan, graph, kernels);
  start = g_get_monotonic_time ();
  if (!tp_bind_check (plan, graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  return g_get_monotonic_time () - start;
}

/* Both side by side, as tp_bind_check_all () does them. Here measurements have other
 * numbers than the kernels of the graph: what @plan stands on is shown by an equal one
 * that is @complete. */
static gint64
time_whole (const TpPlan *plan, const TpPlan *complete, const TpGraph *graph)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  if (!tp_bind_check_beside (complete, plan, graph, reasons))
    g_error ("%s", (char *) reasons->pdata[0]);
  return g_get_monotonic_time () - start;
}

/* @ms: of solving, placing, counting memory, the proof, what it stands on, and these
 * two together. */
static void
print_row (const char *name, const Figures *figures, const TpPlan *plan,
           const double *ms)
{
  int n_device = 0;

  for (int i = 0; i < plan->n_placements; i++)
    n_device += plan->placements[i].device;
  printf ("%-9s %-6s %6d %6d %6d %6d %4s %7.1f %7.1f %7.1f %7.1f %7.1f %7.1f "
          "%5.0f %% %5.0f %% %5.0f %%\n",
          name,
          figures->name, plan->n_placements, plan->all_groups->n_groups,
          n_device, plan->n_transfers, plan->tie_price_ns > 0 ? "yes" : "no",
          ms[0], ms[1], ms[2], ms[3], ms[4], ms[5],
          100 * ms[3] / (ms[1] + ms[2]), 100 * ms[4] / (ms[1] + ms[2]),
          100 * ms[5] / (ms[1] + ms[2]));
  fflush (stdout);
}

static void
run (const char *name, const TpGraph *graph, const Figures *figures)
{
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
  g_autoptr (TpCosts) certain
      = tp_costs_find_certain (graph, groups, devices, NULL, NULL);
  gint64 solve_us[N_RUNS], place_us[N_RUNS], check_us[N_RUNS];
  gint64 memory_us[N_RUNS], bind_us[N_RUNS], whole_us[N_RUNS];
  g_autoptr (TpPlan) plan = NULL;
  g_autoptr (TpPlan) last = NULL;

  for (int r = 0; r < N_RUNS; r++)
    {
      g_autoptr (TpCosts) costs = new_costs (graph, groups, figures);

      g_clear_pointer (&last, tp_plan_unref);
      last = g_steal_pointer (&plan);
      plan = time_place (graph, groups, costs, figures->spread > 0,
                         &place_us[r]);
      check_us[r] = time_check (plan, graph);
      solve_us[r] = time_solve (graph, groups, costs);
      memory_us[r] = time_memory (plan, graph);
      whole_us[r] = r == 0 ? 0 : time_whole (plan, last, graph);
      bind_us[r] = time_bind (plan, graph, certain->kernels);
    }
  print_row (name, figures, plan,
             (const double[]){ find_median_ms (solve_us, N_RUNS),
                               find_median_ms (place_us, N_RUNS),
                               find_median_ms (memory_us, N_RUNS),
                               find_median_ms (check_us, N_RUNS),
                               find_median_ms (bind_us, N_RUNS),
                               /* the first has none before it */
                               find_median_ms (whole_us + 1, N_RUNS - 1) });
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
  printf ("solve: network and cut alone; place: with posterior, digests, tie and "
          "certificate;\nmemory: counting what the plan takes; proof, bind: checking "
          "it, and what it stands on, memory\nbeside all else; check: both, as tplan "
          "check does, side by side; what part of placing\nand counting each is; ms, "
          "medians of %d runs\n", N_RUNS);
  printf ("%-9s %-6s %6s %6s %6s %6s %4s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "graph",
          "figures", "ops", "groups", "device", "copies", "tie", "solve",
          "place", "memory", "proof", "bind", "check", "proof", "bind", "check");
  for (gsize i = 0; i < G_N_ELEMENTS (topologies); i++)
    {
      GRand *random = g_rand_new_with_seed (7);
      g_autoptr (TpGraph) graph
          = new_graph (topologies[i].draft, MAX (n_ops, 10), random);

      for (gsize k = 0; k < G_N_ELEMENTS (all_figures); k++)
        run (topologies[i].name, graph, &all_figures[k]);
      g_rand_free (random);
    }
  bench_solve_envelopes (argc > 2 ? argv[2] : "../examples");
  return 0;
}
