/* plan-json-given.h: what the graph of a plan says things cost, in its file. */
#ifndef TP_FORMAT_PLAN_JSON_GIVEN_H
#define TP_FORMAT_PLAN_JSON_GIVEN_H

#include "format/plan-text.h"
#include "ir/plan.h"

/* A member "given" of those of @costs that are of devices of @plan. */
void tp_plan_write_given (const TpPlan *plan, const TpNodeCost *costs,
                          int n_costs, GString *out);
/* The groups that have costs on devices of @plan. */
void tp_plan_write_given_groups (const TpPlan *plan, const TpGraph *graph,
                                 TpPlanText *out);

#endif
