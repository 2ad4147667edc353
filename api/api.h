/* api.h: what the program asks of the library beyond tplan.h: what its objects
 * hold, and the calls whose answers a message alone does not give. */
#ifndef TP_API_API_H
#define TP_API_API_H

#include "include/tplan.h"
#include "ir/plan.h"
#include "runtime/session.h"

/* Prepared; owned by @graph. */
const TpGraph *tp_api_get_graph (const TplanGraph *graph);
/* NULL-terminated, the host first; owned by @costs. */
const char *const *tp_api_get_devices (const TplanCosts *costs);
/* Owned by @plan. */
const TpPlan *tp_api_get_plan (const TplanPlan *plan);
/* Owned by @session. */
TpSession *tp_api_get_session (TplanSession *session);

/* tplan_plan_check () with each reason apart: @reasons gets char *. */
gboolean tp_api_check_plan (const TplanPlan *plan, GPtrArray *reasons);
/* Fills margin_ns of every placement. */
gboolean tp_api_find_margins (TplanPlan *plan, GError **error);

#endif
