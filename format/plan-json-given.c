/* plan-json-given.c: see plan-json-given.h. */
#include "config.h"

#include "format/plan-json-given.h"

#include "format/json.h"
#include "ir/text.h"

/* Those of @costs that are of devices of @plan. */
void
tp_plan_write_given (const TpPlan *plan, const TpNodeCost *costs, int n_costs,
                     GString *out)
{
  int n = 0;

  for (int i = 0; i < plan->n_devices && n_costs > 0; i++)
    {
      const TpNodeCost *cost
          = tp_node_cost_find (costs, n_costs, plan->devices[i]);

      if (cost == NULL)
        continue;
      tp_text_append (out, n++ == 0 ? ", \"given\": {" : ", ");
      tp_json_append_string (out, plan->devices[i]);
      tp_text_append (out, cost->spread_ns == 0 ? ": " : ": [");
      tp_text_append_number (out, cost->time_ns);
      if (cost->spread_ns == 0)
        continue;
      tp_text_append (out, ", ");
      tp_text_append_number (out, cost->spread_ns);
      tp_text_append_c (out, ']');
    }
  if (n > 0)
    tp_text_append_c (out, '}');
}

static void
write_group (const TpPlan *plan, const TpGraph *graph,
             const TpGivenGroup *group, GString *out)
{
  tp_text_append (out, "{\"ops\": [");
  for (int i = 0; i < group->n_nodes; i++)
    {
      if (i > 0)
        tp_text_append (out, ", ");
      tp_json_append_string (out, graph->nodes[group->nodes[i]].name);
    }
  tp_text_append_c (out, ']');
  tp_plan_write_given (plan, group->figures->costs, group->figures->n_costs,
                       out);
  tp_text_append_c (out, '}');
}

void
tp_plan_write_given_groups (const TpPlan *plan, const TpGraph *graph,
                            TpPlanText *out)
{
  int n = 0;

  for (int i = 0; i < graph->n_groups; i++)
    {
      const TpGivenGroup *it = &graph->groups[i];

      if (!tp_given_group_counts (it, (const char *const *) plan->devices))
        continue;
      tp_plan_text_pass (out);
      tp_text_append (out->text, n++ == 0 ? " \"given_groups\": [\n  " : ",\n  ");
      write_group (plan, graph, it, out->text);
    }
  if (n > 0)
    tp_text_append (out->text, "],\n");
}
