/* plan-read-tables.c: see plan-read-tables.h. */
#include "config.h"

#include "format/plan-read-tables.h"

#include "format/plan-json.h"
#include "format/plan-read-flows.h"

/* Of whatever kind: whether it proves anything is for tp_check () to say. */
static gboolean
read_certificate (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const char *kind;

  if (!tp_plan_read_string (root, "certificate", TRUE, &kind, error))
    return FALSE;
  plan->certificate = g_strdup (kind);
  return TRUE;
}

static gboolean
read_flows (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpPlanFlows flows, tie_flows;

  if (!tp_plan_read_flows (root, "flows", -1, &flows, error))
    return FALSE;
  plan->flows = flows.flows;
  plan->n_flows = flows.n_flows;
  if (json_object_get (root.json, "tie_flows") == NULL)
    return TRUE;
  if (!tp_plan_read_flows (root, "tie_flows", plan->n_flows, &tie_flows, error))
    return FALSE;
  plan->tie_flows = tie_flows.flows;
  return TRUE;
}

gboolean
tp_plan_read_tables (TpPlanPlace root, const TpCostRows *rows, TpPlan *plan,
                     GError **error)
{
  return tp_plan_read_costs (root, rows, plan, error)
         && read_certificate (root, plan, error)
         && read_flows (root, plan, error);
}
