/* share-sweep.h: what fits on several devices, by sweeps over all placements. */
#ifndef TP_PLANNER_SHARE_SWEEP_H
#define TP_PLANNER_SHARE_SWEEP_H

#include "planner/share-room.h"

/* Offers @room what it finds. Returns: (nullable): what those that fit cost at least;
 * %NULL: too much is undecided at once, or there are too many devices. */
TpMemoryProof *tp_share_sweep (const TpProblem *problem, TpShareRoom *room);

#endif
