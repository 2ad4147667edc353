/* machine-costs.c: what a graph costs on a machine we only know by figures.
 *
 * Ops are lowered as they would be to run them; the work of their nests goes
 * through the roofline of the machine. */
#include "config.h"

#include "machine/machine-costs.h"

#include "ir/op.h"
#include "ir/roots.h"
#include "machine/machine.h"

#include <string.h>

static const char *
machine_find_missing (const TpMachine *machine, const TpNode *node)
{
  if (machine->missing_ops == NULL
      || !g_strv_contains ((const char *const *) machine->missing_ops,
                           node->type))
    return NULL;
  return g_intern_static_string ("this device has no such op");
}

/* TP_COST_NONE when these nodes cannot be lowered (together). */
static void
machine_estimate (const TpMachine *machine, const TpNodeWork *work,
                  TpCost *cost)
{
  if (!work->is_lowerable)
    {
      cost->reason = g_intern_static_string ("no kernel for this case");
      return;
    }
  cost->time_ns = tp_machine_estimate_ns (machine, &work->work);
  cost->is_estimated = TRUE;
}

static void
machine_fill_node (const TpMachine *machine, const TpNode *node,
                   const TpNodeWork *work, const char *device, TpCost *cost)
{
  const TpNodeCost *given = tp_node_find_cost (node, device);

  if (given != NULL)
    {
      cost->time_ns = given->time_ns;
      return;
    }
  cost->reason = machine_find_missing (machine, node);
  if (cost->reason != NULL)
    return;
  if (node->op == NULL || node->op->kind == TP_OP_OPAQUE)
    cost->reason = g_intern_static_string ("the graph gives no cost for it");
  else if (node->op->kind == TP_OP_VIEW)
    cost->time_ns = 0;
  else
    machine_estimate (machine, work, cost);
}

/* Why the device cannot run @group as one, or NULL. What the graph says goes: no
 * kernel of ours may undercut it. */
static const char *
machine_find_bar (const TpCosts *costs, const TpGraph *graph,
                  const TpGroup *group, int device)
{
  if (group->is_claimed)
    return g_intern_static_string (TP_COSTS_CLAIMED_ELSEWHERE);
  for (int i = 0; i < group->n_nodes; i++)
    {
      int node = group->nodes[i];
      const TpCost *cost = tp_costs_node (costs, node, device);

      if (cost->time_ns == TP_COST_NONE)
        return cost->reason;
      if (tp_node_find_cost (&graph->nodes[node], costs->devices[device])
          != NULL)
        return g_intern_static_string (TP_COSTS_GIVEN_IN_GROUP);
    }
  return NULL;
}

static void
fill_copies (const TpMachine *machine, int device, const TpGraph *graph,
             TpCosts *costs)
{
  gboolean is_mapped = machine->map_ns > 0 && tp_costs_map (costs, device);
  g_autofree gboolean *are_ends = tp_roots_find_ends (graph);

  costs->latencies_ns[device] = tp_machine_transfer_ns (machine, 0);
  costs->latencies_ns[costs->n_devices + device]
      = costs->latencies_ns[device];
  for (int i = 0; i < graph->n_tensors; i++)
    {
      gint64 bytes = graph->tensors[i].size_bytes;
      TpCost cost = {
        .time_ns = is_mapped && !are_ends[i]
                       ? tp_machine_map_ns (machine)
                       : tp_machine_transfer_ns (machine, bytes),
        .is_estimated = TRUE,
      };

      *tp_costs_feed (costs, i, device) = cost;
      *tp_costs_fetch (costs, i, device) = cost;
    }
}

void
tp_machine_fill_costs (const TpMachine *machine, int device,
                       const TpWorks *works, TpCosts *costs)
{
  const TpGraph *graph = works->graph;

  g_assert (costs->n_nodes == graph->n_nodes);
  g_assert (device >= 0 && device < costs->n_devices);

  costs->is_simulated = TRUE;
  costs->memory_bytes[device] = MAX (machine->memory_bytes, 0);
  costs->pools[device] = g_strdup (machine->pool);
  for (int i = 0; i < graph->n_nodes; i++)
    machine_fill_node (machine, &graph->nodes[i], tp_works_get (works, i),
                       costs->devices[device],
                       tp_costs_node (costs, i, device));
  for (int i = 0; i < costs->n_groups; i++)
    {
      const TpGroup *group = &works->groups->groups[i];
      TpCost *cost = tp_costs_group (costs, i, device);

      cost->reason = machine_find_bar (costs, graph, group, device);
      if (cost->reason == NULL)
        machine_estimate (machine, tp_works_get (works, costs->n_nodes + i), cost);
    }
  if (device != costs->host)
    fill_copies (machine, device, graph, costs);
  tp_costs_take_given (costs, graph, works->groups, device);
}
