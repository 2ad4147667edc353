/* plan-memory.c: see plan-memory.h. */
#include "config.h"

#include "ir/plan-memory.h"

#include "ir/guard.h"
#include "ir/plan-schedule.h"
#include "ir/pools.h"
#include "ir/roots.h"

#include <string.h>

int *
tp_plan_list_places (const TpPlan *plan, const TpGraph *graph, GError **error)
{
  int n_nodes = graph->n_nodes;
  g_autofree int *places = tp_new (int, n_nodes + 1);

  if (plan->n_placements != n_nodes)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: places %d ops, graph '%s' has %d; make the plan anew",
                   plan->n_placements, graph->name, n_nodes);
      return NULL;
    }
  for (int i = 0; i < n_nodes; i++)
    places[i] = -1;
  for (int i = 0; i < n_nodes; i++)
    {
      const TpPlacement *place = &plan->placements[i];

      if (place->node < 0 || place->node >= n_nodes || place->device < 0
          || place->device >= plan->n_devices || places[place->node] >= 0)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                       "plan: placement %d puts op %d on device %d, which "
                       "cannot be; make the plan anew", i, place->node,
                       place->device);
          return NULL;
        }
      places[place->node] = place->device;
    }
  return g_steal_pointer (&places);
}

static gboolean
is_fused_in_cheapest (const TpPlan *plan, int index)
{
  const TpGroup *group = &plan->all_groups->groups[index];
  int device = plan->placements[group->nodes[0]].cheapest;
  gint64 fused = tp_costs_group (plan->costs, index, device)->time_ns;
  gint64 apart = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      if (plan->placements[group->nodes[i]].cheapest != device)
        return FALSE;
      if (!tp_size_add (
              apart,
              tp_costs_node (plan->costs, group->nodes[i], device)->time_ns,
              &apart))
        return FALSE;
    }
  return fused < apart;
}

TpGroups *
tp_plan_find_cheapest_groups (const TpPlan *plan)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();

  for (int i = 0; i < plan->all_groups->n_groups; i++)
    if (!plan->all_groups->groups[i].is_claimed
        && is_fused_in_cheapest (plan, i))
      tp_groups_add_copy (groups, &plan->all_groups->groups[i]);
  return g_steal_pointer (&groups);
}

static const gboolean *
get_mapped (const TpPlan *plan)
{
  return plan->costs == NULL ? NULL : plan->costs->is_mapped;
}

TpGroups *
tp_plan_list_made_groups (const TpPlan *plan)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();

  for (int i = 0; plan->groups != NULL && i < plan->groups->n_groups; i++)
    if (!plan->groups->groups[i].is_claimed)
      tp_groups_add_copy (groups, &plan->groups->groups[i]);
  return g_steal_pointer (&groups);
}

static TpExecution *
spell_out (const TpPlan *plan, const TpGraph *graph, const gboolean *is_mapped,
           GError **error)
{
  g_autofree int *places = tp_plan_list_places (plan, graph, error);
  g_autoptr (TpGroups) groups = tp_plan_list_made_groups (plan);
  TpPlaced placed = { plan->n_devices, tp_plan_get_host (plan), places,
                      groups, is_mapped };
  g_autoptr (TpExecution) execution
      = places == NULL ? NULL : tp_execution_new (graph, &placed, error);

  if (execution != NULL && plan->span_proof != NULL)
    tp_plan_order_execution (plan, execution);
  return g_steal_pointer (&execution);
}

TpExecution *
tp_plan_spell_out (const TpPlan *plan, const TpGraph *graph, GError **error)
{
  return spell_out (plan, graph, get_mapped (plan), error);
}

TpExecution *
tp_plan_spell_out_apart (const TpPlan *plan, const TpGraph *graph,
                         GError **error)
{
  return spell_out (plan, graph, NULL, error);
}

/* FALSE: it cannot be told, since groups are none. */
static gboolean
measure (const TpPlan *plan, const TpGraph *graph, TpMemory *out_memory)
{
  g_autofree int *places = NULL;
  g_autoptr (TpGroups) groups = tp_plan_list_made_groups (plan);
  g_autoptr (TpExecution) execution = NULL;
  TpPlaced placed = { plan->n_devices, tp_plan_get_host (plan), NULL, groups,
                      get_mapped (plan) };

  if (plan->span_proof == NULL)
    {
      placed.places = places = tp_plan_list_places (plan, graph, NULL);
      return places != NULL
             && tp_execution_measure (graph, &placed, out_memory, NULL);
    }
  execution = tp_plan_spell_out (plan, graph, NULL);
  if (execution == NULL)
    return FALSE;
  memcpy (out_memory, execution->memory, plan->n_devices * sizeof *out_memory);
  return TRUE;
}

void
tp_plan_count_memory (TpPlan *plan, const TpGraph *graph)
{
  g_autofree TpMemory *memory = tp_new0 (TpMemory, plan->n_devices + 1);
  gboolean is_known = measure (plan, graph, memory);

  g_free (plan->peak_bytes);
  g_free (plan->weight_bytes);
  plan->peak_bytes = g_new0 (gint64, plan->n_devices + 1);
  plan->weight_bytes = g_new0 (gint64, plan->n_devices + 1);
  for (int i = 0; i < plan->n_devices; i++)
    {
      plan->peak_bytes[i] = plan->weight_bytes[i] = TP_PLAN_MAX_NUMBER;
      if (!is_known)
        continue;
      plan->peak_bytes[i] = MIN (memory[i].arena_bytes, TP_PLAN_MAX_NUMBER);
      plan->weight_bytes[i] = MIN (memory[i].weight_bytes, TP_PLAN_MAX_NUMBER);
    }
}

gboolean
tp_plan_fits (const TpPlan *plan, const gint64 *limits)
{
  int n = tp_pools_count_rows (plan->costs);
  g_autofree gint64 *bytes = tp_new0 (gint64, (gsize) plan->n_devices + 1);
  gboolean is_good = TRUE;

  for (int i = 0; i < plan->n_devices; i++)
    if (!tp_size_add (plan->peak_bytes[i], plan->weight_bytes[i], &bytes[i]))
      bytes[i] = G_MAXINT64;
  for (int row = 0; row < n; row++)
    is_good &= tp_pools_find_missing (plan->costs, limits, row, bytes) == 0;
  return is_good;
}

static gboolean
is_handed_over (const TpPlan *plan, const TpTransfer *it)
{
  int host = plan->costs->host;

  return (it->from == host && it->to >= 0
          && tp_costs_is_mapped (plan->costs, it->to))
         || (it->to == host && it->from >= 0
             && tp_costs_is_mapped (plan->costs, it->from));
}

int
tp_plan_count_handed_over (const TpPlan *plan, const TpGraph *graph)
{
  g_autofree gboolean *are_ends = NULL;
  int n = 0;

  if (!tp_costs_has_mapped (plan->costs))
    return 0;
  are_ends = tp_roots_find_ends (graph);
  for (int i = 0; i < plan->n_transfers; i++)
    n += is_handed_over (plan, &plan->transfers[i])
         && !are_ends[plan->transfers[i].tensor];
  return n;
}
