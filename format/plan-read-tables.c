/* plan-read-tables.c: see plan-read-tables.h. */
#include "config.h"

#include "format/plan-read-tables.h"

#include "format/plan-json.h"
#include "format/plan-read-arcs.h"

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
read_arcs (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlan *groups = root.reader->graph == NULL ? NULL : plan;
  TpPlanArcList list = { plan->tie_price_ns != 0, NULL, 0 };
  gboolean is_good = tp_plan_read_arcs (root, "arcs", groups, &list, error);

  plan->arcs = list.arcs;
  plan->n_arcs = list.n_arcs;
  return is_good;
}

gboolean
tp_plan_read_tables (TpPlanPlace root, const TpCostRows *rows, TpPlan *plan,
                     GError **error)
{
  return tp_plan_read_costs (root, rows, plan, error)
         && read_certificate (root, plan, error)
         && read_arcs (root, plan, error);
}
