/* plan-reason.c: see plan-reason.h. */
#include "config.h"

#include "ir/plan-reason.h"

#include "ir/units.h"

static gint64
get_time (const TpPlan *plan, int node, int device)
{
  return tp_costs_node (plan->costs, node, device)->time_ns;
}

static int
find_rival (const TpPlan *plan, const TpPlacement *it)
{
  int rival = -1;

  for (int i = 0; i < plan->n_devices; i++)
    {
      gint64 time_ns = get_time (plan, it->node, i);

      if (i != it->device && time_ns != TP_COST_NONE
          && (rival < 0 || time_ns < get_time (plan, it->node, rival)))
        rival = i;
    }
  return rival;
}

/* For what the cheapest plan was left. Of three devices and more any plan has proofs
 * that share costs out: they say nothing of it. */
static TpReason
find_aim (const TpPlan *plan)
{
  if (plan->tie_price_ns > 0)
    return TP_REASON_TIE;
  if (plan->load_proof != NULL)
    return TP_REASON_LOAD;
  return plan->rate_proof != NULL ? TP_REASON_RATED : TP_REASON_MEMORY;
}

TpReason
tp_plan_find_reason (const TpPlan *plan, const TpGraph *graph,
                     const TpPlacement *placement, int *out_rival)
{
  int rival = find_rival (plan, placement);
  gint64 here, there;

  if (out_rival != NULL)
    *out_rival = rival;
  if (plan->n_devices == 1)
    return TP_REASON_ALONE;
  if (tp_node_is_stream (&graph->nodes[placement->node]))
    return TP_REASON_STREAMED;
  if (graph->nodes[placement->node].pins != NULL)
    return TP_REASON_PINNED;
  if (rival < 0)
    return TP_REASON_ONLY;
  if (placement->cheapest != placement->device)
    return find_aim (plan);
  here = get_time (plan, placement->node, placement->device);
  there = get_time (plan, placement->node, rival);
  if (here == there)
    return TP_REASON_EQUAL;
  if (here < there)
    return TP_REASON_FASTER;
  return graph->colocation_of != NULL
                 && graph->colocation_of[placement->node] >= 0
             ? TP_REASON_TOGETHER
             : TP_REASON_NEIGHBOURS;
}

const char *
tp_reason_get_name (TpReason reason)
{
  static const char *const names[] = {
    [TP_REASON_ALONE] = "alone",       [TP_REASON_PINNED] = "pinned",
    [TP_REASON_STREAMED] = "streamed",
    [TP_REASON_ONLY] = "only",         [TP_REASON_TIE] = "tie",
    [TP_REASON_FASTER] = "faster",     [TP_REASON_EQUAL] = "equal",
    [TP_REASON_NEIGHBOURS] = "neighbours", [TP_REASON_MEMORY] = "memory",
    [TP_REASON_TOGETHER] = "together",
    [TP_REASON_LOAD] = "load",         [TP_REASON_RATED] = "rated",
  };

  return names[reason];
}
