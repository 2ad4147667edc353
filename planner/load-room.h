/* load-room.h: what the busiest engine carries at least where one run has to fit into
 * limits of memory. */
#ifndef TP_PLANNER_LOAD_ROOM_H
#define TP_PLANNER_LOAD_ROOM_H

#include "ir/load-proof.h"
#include "planner/load-move.h"

/**
 * tp_load_room_search:
 * @problem: with limits
 * @room: what placements take of memory
 * @devices: (inout): [node]: what was found to fit; then what carries no more, and fits
 * @proof: (inout): of @devices, its bound that of all placements: what is proved of those
 *   that fit is added, if that is more
 */
void tp_load_room_search (const TpProblem *problem, guint8 *devices,
                          TpLoadRoom *room, TpLoadProof *proof);

#endif
