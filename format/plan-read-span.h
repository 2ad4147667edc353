/* plan-read-span.h: what engines carry, and its proof, read back. */
#ifndef TP_FORMAT_PLAN_READ_SPAN_H
#define TP_FORMAT_PLAN_READ_SPAN_H

#include "format/plan-read.h"

/* Of the costs: how fast engines are beside each other, if that is there. */
gboolean tp_plan_read_speeds (TpPlanPlace root, TpCosts *costs, GError **error);
/* A plan may do without. Whether it proves anything is for tp_check () to say. */
gboolean tp_plan_read_span_proof (TpPlanPlace root, TpPlan *plan,
                                  GError **error);

#endif
