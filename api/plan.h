/* plan.h: plans, with the tables their queries hand out made once. */
#ifndef TP_API_PLAN_H
#define TP_API_PLAN_H

#include "include/tplan.h"
#include "ir/plan.h"

/* Owned by @plan. */
const TpPlan *tp_api_get_plan (const TplanPlan *plan);

/* tplan_plan_check () with each reason apart: @reasons gets char *. */
gboolean tp_api_check_plan (const TplanPlan *plan, GPtrArray *reasons);

/* Every figure again, from the cost table @path; of a plan that the above took.
 * FALSE with @error: there is no such table, or the plan is of a format that does
 * not say how to. */
gboolean tp_api_check_table (const TplanPlan *plan, const char *path,
                             GPtrArray *reasons, GError **error);

/* Fills margin_ns of every placement. */
gboolean tp_api_find_margins (TplanPlan *plan, GError **error);

/* The threads that a session of @plan has when @n_threads are asked for; 0 asks for
 * those that it was made for. 0: what the process may use. */
int tp_api_pick_threads (const TpPlan *plan, int n_threads);

/* Takes both. */
TplanPlan *tp_api_wrap_plan (TpPlan *plan, TplanGraph *graph);

#endif
