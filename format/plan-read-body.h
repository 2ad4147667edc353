/* plan-read-body.h: placements, groups, transfers and the proof. */
#ifndef TP_FORMAT_PLAN_READ_BODY_H
#define TP_FORMAT_PLAN_READ_BODY_H

#include "format/plan-read.h"
#include "ir/plan.h"

/* Fills @plan from @root; the graph and the devices are known. */
gboolean tp_plan_read_body (TpPlanPlace root, TpPlan *plan, GError **error);

#endif
