/* plan-json-shares.h: the proof of plans for three devices and more. */
#ifndef TP_FORMAT_PLAN_JSON_SHARES_H
#define TP_FORMAT_PLAN_JSON_SHARES_H

#include "ir/plan.h"

/* Nothing, where there is none. */
void tp_plan_write_shares (const TpPlan *plan, const TpGraph *graph,
                           GString *out);

#endif
