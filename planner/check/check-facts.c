/* check-facts.c: see check-facts.h. */
#include "config.h"

#include "planner/check/check-facts.h"

#include "ir/guard.h"

#include <string.h>

/* By its pins. */
static gboolean
may_be_on (const TpChecker *checker, int node, int device)
{
  const char *const *pins;

  if (!checker->nodes[node].is_pinned)
    return TRUE;
  pins = checker->graph->nodes[node].pins;
  for (int i = 0; pins[i] != NULL; i++)
    if (strcmp (pins[i], checker->costs->devices[device]) == 0)
      return TRUE;
  return FALSE;
}

static void
gather_nodes (TpChecker *checker)
{
  int n = checker->graph->n_nodes, n_devices = checker->costs->n_devices;

  checker->node_costs = tp_new (gint64, (gsize) n * n_devices + 1);
  for (int i = 0; i < n; i++)
    for (int d = 0; d < n_devices; d++)
      {
        const TpCost *cost = tp_costs_node (checker->costs, i, d);

        checker->has_negative |= cost->time_ns < 0;
        checker->node_costs[(gsize) i * n_devices + d]
            = cost->time_ns != TP_COST_NONE && may_be_on (checker, i, d)
                  ? checker->measure (cost)
                  : TP_COST_NONE;
      }
}

/* Where one of a colocation may not be, none of it may. */
static void
bar_together (TpChecker *checker)
{
  int n_devices = checker->costs->n_devices;

  for (int i = 0; i < checker->graph->n_colocations; i++)
    {
      const TpColocation *it = &checker->graph->colocations[i];

      for (int d = 0; d < n_devices; d++)
        {
          gint64 *costs = checker->node_costs + d;
          gboolean is_barred = FALSE;

          for (int k = 0; k < it->n_nodes; k++)
            is_barred |= costs[(gsize) it->nodes[k] * n_devices]
                         == TP_COST_NONE;
          for (int k = 0; is_barred && k < it->n_nodes; k++)
            costs[(gsize) it->nodes[k] * n_devices] = TP_COST_NONE;
        }
    }
}

static void
gather_legs (TpChecker *checker)
{
  const TpCosts *costs = checker->costs;
  int n_devices = costs->n_devices;

  checker->legs
      = tp_new (TpCheckerLegs, (gsize) costs->n_tensors * n_devices + 1);
  for (int i = 0; i < costs->n_tensors; i++)
    for (int d = 0; d < n_devices; d++)
      checker->legs[(gsize) i * n_devices + d]
          = d == costs->host
                ? (TpCheckerLegs){ 0, 0 }
                : (TpCheckerLegs){
                    .fetch = checker->measure (tp_costs_fetch (costs, i, d)),
                    .feed = checker->measure (tp_costs_feed (costs, i, d)),
                  };
}

gboolean
tp_checker_check_together (TpChecker *checker, const int *devices)
{
  const TpGraph *graph = checker->graph;

  for (int i = 0; i < graph->n_colocations; i++)
    for (int k = 1; k < graph->colocations[i].n_nodes; k++)
      {
        int first = graph->colocations[i].nodes[0];
        int other = graph->colocations[i].nodes[k];

        if (devices[first] != devices[other])
          return tp_checker_fail (checker,
                                  "ops '%s' and '%s' are on two devices, but "
                                  "are to be together",
                                  graph->nodes[first].name,
                                  graph->nodes[other].name);
      }
  return TRUE;
}

void
tp_checker_gather_facts (TpChecker *checker)
{
  const TpOutline *outline = tp_graph_get_outline (checker->graph);

  checker->tensors = outline->tensors;
  checker->nodes = outline->nodes;
  gather_nodes (checker);
  bar_together (checker);
  gather_legs (checker);
  checker->devices = tp_new (int, checker->plan->n_placements + 1);
  for (int i = 0; i < checker->plan->n_placements; i++)
    checker->devices[i] = checker->plan->placements[i].device;
}

void
tp_checker_drop_facts (TpChecker *checker)
{
  g_clear_pointer (&checker->node_costs, g_free);
  g_clear_pointer (&checker->legs, g_free);
  g_clear_pointer (&checker->devices, g_free);
}
