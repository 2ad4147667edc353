/* reason.c: see reason.h. */
#include "config.h"

#include "cli/reason.h"

#include "cli/hint.h"
#include "cli/text.h"
#include "ir/plan-reason.h"

static const char *
find_refusal (const TpPlan *plan, const TpPlacement *placement)
{
  for (int i = 0; i < plan->n_devices; i++)
    {
      const TpCost *cost = tp_costs_node (plan->costs, placement->node, i);

      if (i != placement->device && cost->time_ns == TP_COST_NONE
          && cost->reason != NULL)
        return cost->reason;
    }
  return "no other device can";
}

/* Some other op that @node is to be with. */
static const char *
find_mate (const TpGraph *graph, int node)
{
  const TpColocation *it = &graph->colocations[graph->colocation_of[node]];

  return graph->nodes[it->nodes[it->nodes[0] == node]].name;
}

/* By how much the two differ for the op alone. */
static char *
format_gain (const TpPlan *plan, const TpPlacement *placement, int rival)
{
  const TpCost *here
      = tp_costs_node (plan->costs, placement->node, placement->device);
  const TpCost *there = tp_costs_node (plan->costs, placement->node, rival);

  return tp_cli_format_time (ABS (there->time_ns - here->time_ns));
}

char *
tp_cli_format_reason (const TpPlan *plan, const TpGraph *graph,
                      const TpPlacement *placement, gboolean is_grouped)
{
  char *const *devices = plan->devices;
  const char *here = devices[placement->device];
  int rival;
  TpReason reason = tp_plan_find_reason (plan, graph, placement, &rival);
  g_autofree char *text = NULL;

  switch (reason)
    {
    case TP_REASON_ALONE:
      return g_strdup ("the only device");
    case TP_REASON_STREAMED:
      return g_strdup_printf (
          "'%s' stays on %s, and is sent to who reads it in every run",
          graph->tensors[graph->nodes[placement->node].inputs[0]].name, here);
    case TP_REASON_PINNED:
      text = g_strjoinv (", ", (char **) graph->nodes[placement->node].pins);
      return g_strdup_printf ("pinned to %s", text);
    case TP_REASON_ONLY:
      text = tp_hint_complete (find_refusal (plan, placement));
      return g_strdup_printf ("only %s can: %s", here, text);
    case TP_REASON_TIE:
      return g_strdup_printf ("tie: the cheapest plan has it on %s, by less "
                              "than noise",
                              devices[placement->cheapest]);
    case TP_REASON_MEMORY:
      return g_strdup_printf ("memory: the cheapest plan has it on %s, and "
                              "does not fit",
                              devices[placement->cheapest]);
    case TP_REASON_LOAD:
      return g_strdup_printf ("load: for one run by itself the cheapest plan "
                              "has it on %s",
                              devices[placement->cheapest]);
    case TP_REASON_RATED:
      return g_strdup_printf ("%s: the fastest plan has it on %s",
                              plan->objective, devices[placement->cheapest]);
    case TP_REASON_EQUAL:
      return g_strdup_printf ("as fast as on %s: stays beside its neighbours",
                              devices[rival]);
    case TP_REASON_FASTER:
      text = format_gain (plan, placement, rival);
      return g_strdup_printf ("%s faster than on %s", text, devices[rival]);
    case TP_REASON_TOGETHER:
      text = format_gain (plan, placement, rival);
      return g_strdup_printf ("%s slower than on %s, but is to be with %s",
                              text, devices[rival],
                              find_mate (graph, placement->node));
    case TP_REASON_NEIGHBOURS:
      text = format_gain (plan, placement, rival);
      return g_strdup_printf ("%s slower than on %s, but leaving %s would cost "
                              "more in copies%s",
                              text, devices[rival], here,
                              is_grouped ? " or break its group" : "");
    }
  g_assert_not_reached ();
}
