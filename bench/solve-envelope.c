/* solve-envelope.c: see solve-envelope.h. */
#include "config.h"

#include "ir/compare.h"
#include "solve-envelope.h"

#include "format/graph-load.h"
#include "machine/machine-costs.h"
#include "machine/machine.h"
#include "ops/works.h"
#include "planner/envelope.h"
#include "planner/offer.h"
#include "planner/fuse.h"
#include "planner/scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define N_RUNS 9

static const char *const networks[] = { "squeezenet1_1", "mobilenet_v2",
                                        "resnet50", "densenet121",
                                        "bert_base" };

static const struct
{
  const char *name;
  TpScale scale;
} changes[] = {
  { "copies", { TP_SCALE_COPIES, TP_SCALE_ALL, 0.01, 100 } },
  { "kernels", { TP_SCALE_KERNELS, 1, 0.01, 100 } },
  { "bandwidth", { TP_SCALE_BYTES, TP_SCALE_ALL, 0.01, 100 } },
  { "price", { TP_SCALE_PRICE, 1, 0, 10 * TP_RATE_PARTS } },
  { "watts", { TP_SCALE_WATTS, 1, 1000, 500000 } },
};

static void
fail (const GError *error)
{
  if (error != NULL)
    g_error ("%s", error->message);
}

/* Both are paid by use, so that both are worth something. */
static TpCosts *
new_costs (const TpGraph *graph, const TpGroups *family)
{
  static const char *const names[] = { "sim:laptop-cpu", "sim:laptop-gpu" };
  g_autoptr (TpWorks) works = tp_works_new (graph, family);
  TpCosts *costs = tp_costs_new (2, names, graph, family);

  costs->rates = g_new0 (TpRate, 3);
  for (int d = 0; d < 2; d++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpMachine) machine
          = tp_machine_parse (names[d] + sizeof "sim:" - 1, &error);

      fail (error);
      tp_machine_fill_costs (machine, d, works, costs);
      costs->rates[d] = machine->rate;
      costs->rates[d].price = TP_RATE_PARTS;
      costs->rates[d].is_per_use = TRUE;
    }
  return costs;
}

/* Of this process: what others do meanwhile is not counted. */
static gint64
get_cpu_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static void
time_change (const char *network, int index, TpLines *lines,
             const TpCosts *costs)
{
  const TpScale *scale = &changes[index].scale;
  gint64 times_us[N_RUNS];
  int n_pieces = 0, n_plans = 0;

  for (int r = 0; r < N_RUNS; r++)
    {
      gint64 start = get_cpu_us ();
      g_auto (TpLines) made = { .graph = lines->graph,
                                .groups = lines->groups };
      g_autoptr (TpEnvelope) envelope = NULL;
      g_autoptr (GError) error = NULL;

      if (tp_scale_make_lines (scale, costs, &made, &error))
        envelope = tp_envelope_find (&made, scale->low, scale->high, &error);
      fail (error);
      n_pieces = envelope->n_pieces;
      n_plans = envelope->n_plans;
      times_us[r] = get_cpu_us () - start;
    }
  qsort (times_us, N_RUNS, sizeof *times_us, tp_compare_int64);
  printf ("%-14s %-9s %6d %7d %6d %7.1f\n", network, changes[index].name,
          lines->graph->n_nodes, n_pieces, n_plans,
          (double) times_us[N_RUNS / 2] / 1e3);
}

void
bench_solve_envelopes (const char *directory)
{
  printf ("all plans as one thing changes, on a simulated laptop and its "
          "graphics card;\nms of the processor, medians of %d runs\n", N_RUNS);
  printf ("%-14s %-9s %6s %7s %6s %7s\n", "graph", "changes", "ops", "pieces",
          "plans", "all");
  for (gsize i = 0; i < G_N_ELEMENTS (networks); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("%s/%s.json", directory, networks[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, &error);
      g_autoptr (TpGroups) family = NULL, groups = NULL;
      g_autoptr (TpCosts) costs = NULL;

      if (graph == NULL)
        {
          printf ("%s\n", error->message);
          continue;
        }
      family = tp_fuse_find_all (graph, NULL, NULL);
      costs = new_costs (graph, family);
      groups = tp_offer_choose (family, graph, costs);
      for (gsize k = 0; k < G_N_ELEMENTS (changes); k++)
        time_change (networks[i], (int) k,
                     &(TpLines){ .graph = graph, .groups = groups }, costs);
    }
}
