/* room-shares.h: what weights of engines and prices on memory prove of one graph on three
 * devices and more: shares, as share-price.c has them. */
#ifndef TP_PLANNER_ROOM_SHARES_H
#define TP_PLANNER_ROOM_SHARES_H

#include "ir/share-proof.h"
#include "planner/limit-held.h"

/**
 * tp_room_shares_find:
 * @weighed: by weights of engines, and with fixed ops barred from other devices
 * @held: of the same graph
 * @prices: TpMemoryPrice; lowered to what can be added up
 * @near: (nullable): of the same graph, with as many prices or fewer: where to begin
 * @devices: [op]: a placement that is cheap so
 *
 * Returns: unit, prices and room: the shares; what they prove, with prices and nothing taken
 *   off for limits, is its room_ns.
 */
TpShareProof *tp_room_shares_find (const TpProblem *weighed, const TpLimitHeld *held,
                                   const TpArray *prices, const TpShareProof *near,
                                   guint8 *devices);

#endif
