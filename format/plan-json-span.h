/* plan-json-span.h: when what of a run begins, as text. */
#ifndef TP_FORMAT_PLAN_JSON_SPAN_H
#define TP_FORMAT_PLAN_JSON_SPAN_H

#include "ir/plan.h"

/* Of the costs: how fast engines are beside each other, if that is known. */
void tp_plan_write_speeds (const TpCosts *costs, GString *out);
/* Lines of their own; none where @plan has no schedule. */
void tp_plan_write_span_proof (const TpPlan *plan, GString *out);

#endif
