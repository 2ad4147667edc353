/* tie.h: of plans that noise cannot tell apart, the one with the fewest copies. */
#ifndef TP_PLANNER_TIE_H
#define TP_PLANNER_TIE_H

#include "planner/network.h"

/**
 * tp_tie_break:
 * @solved: at no price
 * @devices: [node]: of the cheapest placement; set to the one chosen
 *
 * Of the placements that are cheapest with some price on every copy, and cost
 * more than the cheapest by less than noise, the one with the fewest copies.
 *
 * Returns: (transfer full): the network with that price; %NULL: the cheapest
 *   stays, there is no such.
 */
TpNetwork *tp_tie_break (const TpProblem *problem, const TpNetwork *solved,
                         guint8 *devices);

#endif
