/* room-cut.h: what weights of engines and prices on memory prove of graphs that are in memory
 * at once: a cut of each, or shares on three devices and more. */
#ifndef TP_PLANNER_ROOM_CUT_H
#define TP_PLANNER_ROOM_CUT_H

#include "planner/room-game.h"

typedef struct
{
  gint64 weights[TP_LOAD_MAX_ENGINES]; /* at least 1 */
  TpPointers *bounds;         /* [part] TpMemoryBound, of two devices; yours to steal */
  TpPointers *shares;         /* [part] TpShareProof, of more; likewise */
  gint64 bound_ns;            /* none that fits, with ops as fixed, has less */
  guint8 *devices;            /* the placement found */
  gint64 n_shares;            /* of all of these */
} TpRoomCut;

/* @fixed: [op] of the whole: device, or TP_LIMIT_FREE where it may be on several. @near:
 * (nullable): one before, of the same game; messages of shares begin as it has them. */
TpRoomCut *tp_room_cut_new (const TpRoomGame *game, const TpRoomChoice *choice,
                            const gint8 *fixed, const TpRoomCut *near);
void tp_room_cut_free (TpRoomCut *cut); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpRoomCut, tp_room_cut_free)

#endif
