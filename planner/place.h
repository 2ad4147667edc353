/* place.h: from what a solver finds to a plan with all its parts. */
#ifndef TP_PLANNER_PLACE_H
#define TP_PLANNER_PLACE_H

#include "ir/costs.h"
#include "ir/graph.h"
#include "ir/plan.h"

/* The cheapest placement for @objective ("time": work and transfers in
 * sequence), exact, with its certificate, by the first solver that takes so many
 * devices. TPLAN_ERROR_INFEASIBLE names the pins; TPLAN_ERROR_LIMIT: sums
 * overflow; TPLAN_ERROR_UNSUPPORTED: too many devices. */
TpPlan *tp_place (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
                  const char *objective, GError **error);

/* The same for figures that carry noise: of the plans that cost no more than the
 * cheapest but for one standard deviation of the difference, one with fewer
 * copies, if there is one; it says so in tie_price_ns. Where no figure has a
 * spread, what tp_place () makes. */
TpPlan *tp_place_within_noise (const TpGraph *graph, const TpGroups *groups,
                               TpCosts *costs, const char *objective,
                               GError **error);

#endif
