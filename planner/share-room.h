/* share-room.h: placements on several devices that fit into their memory. */
#ifndef TP_PLANNER_SHARE_ROOM_H
#define TP_PLANNER_SHARE_ROOM_H

#include "planner/share-model.h"

/* The cheapest that was found to fit, near @cheapest, which does not; and in *@out_cost
 * what it costs. FALSE: none was found: in @devices the one that takes least too
 * much. */
gboolean tp_share_room_search (TpShareModel *model, const guint8 *cheapest,
                               guint8 *devices, gint64 *out_cost);

#endif
