/* plan-read-body.h: placements, groups, transfers and most proofs. */
#ifndef TP_FORMAT_PLAN_READ_BODY_H
#define TP_FORMAT_PLAN_READ_BODY_H

#include "format/plan-read.h"
#include "ir/plan.h"

/* Fills @plan from @root; the graph and the devices are known. Totals, where all is,
 * and groups. */
gboolean tp_plan_read_places (TpPlanPlace root, TpPlan *plan, GError **error);
/* Of memory, if there are any: bytes of @n_rows rows (ir/pools.h); g_free (), also
 * after an error. */
gboolean tp_plan_read_limits (TpPlanPlace root, int n_rows, gint64 **out_limits,
                              gint64 **out_reserves, GError **error);
/* What is proved by other things than the cut; after the costs. */
gboolean tp_plan_read_proofs (TpPlanPlace root, TpPlan *plan, GError **error);

#endif
