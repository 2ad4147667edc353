/* pareto.h: all plans that are the least for some worth of two things. */
#ifndef TP_PLANNER_PARETO_H
#define TP_PLANNER_PARETO_H

#include "ir/pareto.h"

/**
 * tp_pareto_find:
 * @costs: with the rates that both aims want; spreads are not heeded
 * @aims: [2]: not the same
 *
 * Pure; the work is 2 k + 1 plans for k corners, where all are told apart.
 *
 * Returns: (transfer full): %NULL with @error set: those of tp_place_with () for
 *   objective "weighted" within what devices have of memory.
 */
TpPareto *tp_pareto_find (const TpGraph *graph, const TpGroups *groups,
                          TpCosts *costs, const TpAim *aims, GError **error);

#endif
