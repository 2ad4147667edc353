/* share-room.h: placements on several devices that fit into their memory. */
#ifndef TP_PLANNER_SHARE_ROOM_H
#define TP_PLANNER_SHARE_ROOM_H

#include "planner/share-model.h"

typedef struct TpShareRoom TpShareRoom;

/* @cheapest, which does not fit; @model outlives it. */
TpShareRoom *tp_share_room_new (TpShareModel *model, const guint8 *cheapest);
void tp_share_room_free (TpShareRoom *room); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpShareRoom, tp_share_room_free)

/* Offers all that can on each device. */
void tp_share_room_start (TpShareRoom *room);
/* Offers what is the cheapest on every two devices. */
void tp_share_room_offer_pairs (TpShareRoom *room);
/* Looks for what fits near the cheapest, and near what was found. */
void tp_share_room_search (TpShareRoom *room);
/* Takes @devices if they fit and cost less than what was found; whether it did. */
gboolean tp_share_room_take (TpShareRoom *room, const guint8 *devices);
/* By how many bytes @devices are laid out in too much. */
gint64 tp_share_room_get_over (TpShareRoom *room, const guint8 *devices);
/* The same, or what can be made of both. */
void tp_share_room_offer (TpShareRoom *room, const guint8 *devices);
/* Moves ops and groups of what was found while that is better. */
void tp_share_room_improve (TpShareRoom *room);

/* Of what was found to fit; TP_COST_NONE: nothing was. */
gint64 tp_share_room_get_cost (const TpShareRoom *room);
/* What was found, or what takes least too much. */
const guint8 *tp_share_room_get_best (const TpShareRoom *room);

#endif
