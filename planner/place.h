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

/* How to place. */
typedef struct
{
  const char *objective;
  gboolean heeds_noise;       /* as tp_place_within_noise () */
  const gint64 *limits;       /* (nullable): [row] (ir/pools.h): bytes of arenas and
                               * weights together; 0: no limit */
  const gint64 *aims;         /* (nullable): [TP_N_AIMS]: of objective
                               * "weighted" alone: what a unit of each is worth */
  int n_cuts;                 /* as many may be made where limits bind,
                               * and no sweeps; 0: some two seconds' worth, after
                               * sweeps */
} TpPlaceOptions;

/* The cheapest that fits into the limits, or the cheapest found, which
 * memory_proof says. Where they do not bind, the plan is what it is without.
 * TPLAN_ERROR_INFEASIBLE: nothing fits, or nothing was found that does: where, and
 * what takes most there. */
TpPlan *tp_place_with (const TpGraph *graph, const TpGroups *groups,
                       TpCosts *costs, const TpPlaceOptions *options,
                       GError **error);

/* The same for figures that carry noise: where a plan with the fewest copies there
 * can be costs more than the cheapest by less than noise (planner/noise.h), that
 * one; it says so in tie_price_ns. Where no figure has a spread, what tp_place ()
 * makes. */
TpPlan *tp_place_within_noise (const TpGraph *graph, const TpGroups *groups,
                               TpCosts *costs, const char *objective,
                               GError **error);

/* Makes of @plan, which is for throughput, what it would be if ops had been found
 * best on @devices: [node]. What is proved of all placements remains. Its memory is
 * counted. */
void tp_place_move (TpPlan *plan, const TpGraph *graph, const guint8 *devices);

#endif
