/* planner.h: fusion and placement: graph + costs -> plan. Pure: no device, no
 * clock, no file; equal arguments give equal plans. */
#ifndef TP_PLANNER_PLANNER_H
#define TP_PLANNER_PLANNER_H

#include "ir/plan.h"

/* Disjoint groups of nodes that could run as one kernel, by the rules table.
 * @disabled: names of rules not to use, NULL-terminated (nullable). */
TpGroups *tp_fuse_find (const TpGraph *graph, const char *const *disabled);
/* Names of rules, of objectives; NULL-terminated. */
const char *const *tp_fuse_list (void);
const char *const *tp_objective_list (void);

/* The cheapest placement for @objective ("time": work and transfers in
 * sequence), exact, with its certificate, by the first solver that takes so many
 * devices. TPLAN_ERROR_INFEASIBLE names the pins; TPLAN_ERROR_LIMIT: sums
 * overflow; TPLAN_ERROR_UNSUPPORTED: too many devices. */
TpPlan *tp_place (const TpGraph *graph, const TpGroups *groups, TpCosts *costs,
                  const char *objective, GError **error);
/* Fills margin_ns of every placement, where the solver can tell. */
gboolean tp_place_margins (TpPlan *plan, const TpGraph *graph, GError **error);

#endif
