/* plan-json-rated.h: watts and prices, and the proof that stands on them. */
#ifndef TP_FORMAT_PLAN_JSON_RATED_H
#define TP_FORMAT_PLAN_JSON_RATED_H

#include "format/plan-text.h"
#include "ir/plan.h"

/* Nothing where none are stated. */
void tp_plan_write_rates (const TpCosts *costs, GString *out);
/* Nothing where there is none. */
void tp_plan_write_rate_proof (const TpPlan *plan, const TpGraph *graph,
                               TpPlanText *out);

#endif
