/* plan-read-rated.h: watts and prices, and the proof that stands on them, read back. */
#ifndef TP_FORMAT_PLAN_READ_RATED_H
#define TP_FORMAT_PLAN_READ_RATED_H

#include "format/plan-read.h"

/* A plan may do without either. */
gboolean tp_plan_read_rates (TpPlanPlace root, TpCosts *costs, GError **error);
gboolean tp_plan_read_rate_proof (TpPlanPlace root, TpPlan *plan,
                                  GError **error);

#endif
