/* sweep-case.c: see sweep-case.h. */
#include "config.h"

#include "sweep-case.h"

#include "ir/plan-memory.h"
#include "memory-case.h"
#include "sweep-truth.h"

#include <string.h>

#define K TP_TRUTH_DEVICES

static int
pick (int n)
{
  return g_test_rand_int_range (0, n);
}

static void
drop_gains (TpTestCase *test)
{
  for (int g = 0; g < test->groups->n_groups; g++)
    for (int d = 0; d < test->costs->n_devices; d++)
      tp_costs_group (test->costs, g, d)->time_ns = TP_COST_NONE;
  tp_costs_seal (test->costs);
}

/* Some op that is free of others, where it can run. */
static void
pin_some (TpTestCase *test)
{
  const TpGraph *graph = test->graph;
  int op = pick (graph->n_nodes), device = pick (test->costs->n_devices);
  g_autofree char *text
      = g_strdup_printf ("%s=%s", graph->nodes[op].name,
                         test->costs->devices[device]);
  const char *const pins[] = { text, NULL };
  TpGraph *pinned;

  if ((graph->colocation_of != NULL && graph->colocation_of[op] >= 0)
      || tp_costs_node (test->costs, op, device)->time_ns == TP_COST_NONE)
    return;
  pinned = tp_graph_pin (test->graph, pins, NULL);
  tp_graph_unref (test->graph);
  test->graph = pinned;
}

TpTestCase *
tp_sweep_case_new (int k, int round)
{
  int most = round % 8 == 0 || k < 4 ? TP_TRUTH_MAX_OPS : TP_TRUTH_MAX_OPS - 1;
  int n_ops = g_test_rand_int_range (2, most + 1);
  TpTestCase *test = round % 4 == 1 ? tp_memory_case_new_together (k, n_ops)
                                    : tp_memory_case_new_for (k, n_ops);

  if (round % 4 == 2)
    drop_gains (test);
  if (round % 4 == 3 || round % 8 == 1)
    pin_some (test);
  return test;
}

/* On all devices, so that they have to share what there is. */
static void
draw_crowded (const TpTestCase *test, gint64 *limits)
{
  int k = test->costs->n_devices;
  gint64 sum = 0;

  for (int i = 0; i < test->graph->n_tensors; i++)
    sum += test->graph->tensors[i].size_bytes;
  for (int d = 0; d < k; d++)
    limits[d] = sum / k * g_test_rand_int_range (50, 180) / 100 + 1;
}

void
tp_sweep_case_draw_limits (const TpTestCase *test, gint64 *limits)
{
  g_autoptr (TpPlan) plan = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  int k = test->costs->n_devices, n = 1 + pick (2 * k);
  gint64 bytes[K], most = 1;

  memset (limits, 0, sizeof (gint64) * (K + 1));
  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < k; d++)
    most = MAX (most, bytes[d]);
  for (int i = 0; i < n; i++)
    {
      int d = pick (k);

      limits[d] = MAX (bytes[d] > 0 ? bytes[d] : most, 1)
                      * g_test_rand_int_range (25, 100) / 100
                  + 1;
    }
  if (pick (3) == 0)
    draw_crowded (test, limits);
}

TpPlan *
tp_sweep_case_place (const TpTestCase *test, const gint64 *limits)
{
  g_autoptr (TpPlan) plan = tp_memory_case_place (test, limits, TP_MEMORY_CASE_CUTS);
  gboolean is_tree = plan != NULL && plan->memory_proof != NULL;

  if (plan == NULL || (test->costs->n_devices == 2 && !is_tree))
    return NULL;
  tp_plan_count_memory (plan, test->graph);
  if (plan->memory_limits == NULL)
    plan->memory_limits = g_memdup2 (limits, sizeof (gint64) * (K + 1));
  if (plan->memory_proof == NULL)
    plan->memory_proof = tp_memory_proof_new ();
  tp_pointers_cut (plan->memory_proof->bounds, 0);
  tp_array_set_size (plan->memory_proof->entries, 0);
  return g_steal_pointer (&plan);
}

TpProofEntry
tp_sweep_draw (void)
{
  TpProofEntry entry = { .kind = TP_PROOF_SWEEP };

  for (int d = 0; d < K; d++)
    if (pick (3) > 0)
      entry.prices[d] = (gint64) pick (G_MAXINT32) << pick (20);
  return entry;
}

TpPlan *
tp_sweep_case_place_tree (const TpTestCase *test)
{
  const TpProofEntry sweep = tp_sweep_draw ();
  TpProofEntry peak = { .kind = TP_PROOF_PEAK, .index = 1, .bytes = pick (3000) };
  gint64 limits[K + 1];
  TpPlan *plan;

  tp_sweep_case_draw_limits (test, limits);
  limits[1] = MAX (limits[1], 3000);
  plan = tp_sweep_case_place (test, limits);
  if (plan == NULL)
    return NULL;
  tp_array_append_val (plan->memory_proof->entries, peak);
  for (int i = 0; i < 2; i++)
    tp_array_append_val (plan->memory_proof->entries, sweep);
  plan->memory_proof->bound_ns = plan->bound_ns;
  return plan;
}
