/* plan-read-tables.h: costs and the flows of the cut, which are numbers only. */
#ifndef TP_FORMAT_PLAN_READ_TABLES_H
#define TP_FORMAT_PLAN_READ_TABLES_H

#include "format/plan-read-costs.h"

/* Fills @plan, whose devices and totals are known, from @root: so many rows of costs. */
gboolean tp_plan_read_tables (TpPlanPlace root, const TpCostRows *rows,
                              TpPlan *plan, GError **error);

#endif
