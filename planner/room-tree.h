/* room-tree.h: what the busiest engine carries at least where graphs side by side, or one, have
 * to fit into limits of memory. */
#ifndef TP_PLANNER_ROOM_TREE_H
#define TP_PLANNER_ROOM_TREE_H

#include "ir/load-proof.h"
#include "planner/load-move.h"
#include "planner/room-game.h"

/**
 * tp_room_tree_search:
 * @whole: of all graphs as one, with limits
 * @parts: these graphs
 * @best: what was found to fit; is offered what is found on the way
 * @proof: (inout): of @best: its room is what proves most, if that is more than it proved
 */
void tp_room_tree_search (const TpProblem *whole, const TpRoomPart *parts,
                          int n_parts, TpLoadBest *best, TpLoadProof *proof);

#endif
