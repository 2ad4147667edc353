/* rated-room.h: the least energy or price of what fits into limits of memory, on three
 * devices and more. */
#ifndef TP_PLANNER_RATED_ROOM_H
#define TP_PLANNER_RATED_ROOM_H

#include "planner/rated-model.h"

/**
 * tp_rated_room_search:
 * @problem: with limits
 * @rentable: devices: what placements cost depends on whether they have ops; a bit for
 *   each
 * @devices: (out): [node]: the least that was found to fit
 * @proof: (inout): its bound that of all placements; then its cost is that of @devices,
 *   and what is proved of those that fit is added, if that is no less
 *
 * FALSE: nothing was found that fits, which @error says.
 */
gboolean tp_rated_room_search (const TpProblem *problem, guint rentable,
                               guint8 *devices, TpRateProof *proof,
                               GError **error);

#endif
