/* tie.h: of plans that noise cannot tell apart, the one with the fewest copies. */
#ifndef TP_PLANNER_TIE_H
#define TP_PLANNER_TIE_H

#include "planner/network.h"

/**
 * tp_tie_break:
 * @solved: at no price
 * @devices: [node]: of the cheapest placement; set to the one chosen
 *
 * The placement with the fewest copies there can be, where it costs more than the
 * cheapest by less than noise.
 *
 * Returns: (transfer full): the network with the price on every copy at which it
 *   is the cheapest; %NULL: the cheapest stays, there is no such.
 */
TpNetwork *tp_tie_break (const TpProblem *problem, const TpNetwork *solved,
                         guint8 *devices);

#endif
