/* plan-read-costs.h: the table of costs inside a plan. */
#ifndef TP_FORMAT_PLAN_READ_COSTS_H
#define TP_FORMAT_PLAN_READ_COSTS_H

#include "format/plan-read.h"
#include "ir/plan.h"

/* Fills @plan, whose devices are known, from @root: so many rows. */
gboolean tp_plan_read_costs (TpPlanPlace root, const TpCostRows *rows,
                             TpPlan *plan, GError **error);

/* Into @out_pools, [device], what memory each of @n devices shares; g_free (). */
gboolean tp_plan_read_pools (TpPlanPlace root, int n, char **out_pools,
                             GError **error);

#endif
