/* mix-room.h: what placements of several graphs take of memory side by side, and where to
 * begin to look for those that fit. */
#ifndef TP_PLANNER_MIX_ROOM_H
#define TP_PLANNER_MIX_ROOM_H

#include "planner/limit-layout.h"
#include "planner/mix-union.h"

typedef struct
{
  TpProblem *problem;
  TpLimitLayout layout;
} TpMixRoomPart;

typedef struct
{
  const TpMix *mix;           /* (unowned), as are all but @parts, @bytes and @lower */
  const TpMixUnion *all;
  const gint64 *limits;       /* [row] */
  TpMixRoomPart *parts;       /* [part] */
  gint64 *bytes;              /* [device]: of what was asked about last */
  gint64 *lower;              /* [row]: limits for all graphs one after the other; what
                               * keeps to them keeps to @limits side by side, about */
} TpMixRoom;

void tp_mix_room_init (TpMixRoom *room, const TpMix *mix, const TpMixUnion *all,
                       const gint64 *limits);
void tp_mix_room_clear (TpMixRoom *room);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMixRoom, tp_mix_room_clear)

/* As of TpLoadRoom: @devices: [node] of the union. */
gint64 tp_mix_room_find_excess (gpointer room, const guint8 *devices);
/* Into @devices what fits, and takes little time; @problem: of the union. FALSE: nothing
 * was found. */
gboolean tp_mix_room_find (TpMixRoom *room, const TpProblem *problem,
                           guint8 *devices);
/* TPLAN_ERROR_INFEASIBLE, with what @nearest takes too much; FALSE. */
gboolean tp_mix_room_fail (TpMixRoom *room, const guint8 *nearest,
                           GError **error);

#endif
