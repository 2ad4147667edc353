/* span-room.h: whether a run whose engines work at once fits into the memory there is:
 * what overlaps has places of its own. */
#ifndef TP_PLANNER_SPAN_ROOM_H
#define TP_PLANNER_SPAN_ROOM_H

#include "planner/span-tasks.h"

typedef struct
{
  gint64 work_left;           /* tasks of schedules that may be laid out; no others
                               * are taken */
} TpSpanRoom;

/* @tasks: with a schedule, of a problem with limits. */
gboolean tp_span_room_fits (TpSpanRoom *room, const TpSpanTasks *tasks);

/**
 * tp_span_room_find:
 * @start: [node]: what takes least time of what fits one thing after the other
 * @roomy: [node]: likewise, but where @start does not fit if all that can overlaps, of
 *   what fits into as much less as that takes too much
 *
 * Both zeroed. FALSE: nothing was found, as for tp_limit_find ().
 */
gboolean tp_span_room_find (const TpProblem *problem, guint8 *start,
                            guint8 *roomy, GError **error);

#endif
