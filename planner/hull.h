/* hull.h: the lower hull of points in space, exactly: of means of them, and of what is
 * more than these.
 *
 * Knows of no plans. Points are whole numbers, at least 0 and below 2^62. */
#ifndef TP_PLANNER_HULL_H
#define TP_PLANNER_HULL_H

#include "ir/array.h"

#define TP_HULL_DIMS 3
/* A corner of a face, that goes on along @axis without an end; and which axis that is. */
#define TP_HULL_FAR(axis) (-1 - (axis))

__extension__ typedef __int128 TpHullWide;

/* A triangle. Nothing of the hull is below: weighed by the normal, all is at least what
 * the corners are. */
typedef struct
{
  int corners[TP_HULL_DIMS];  /* points, or TP_HULL_FAR () */
  TpHullWide normal[TP_HULL_DIMS]; /* at least 0, without a common divisor; all 0: all
                               * corners are far */
  int mark;                   /* the caller's; of new ones 0 */
} TpHullFace;

/* Zeroed at first. */
typedef struct
{
  TpArray *points;            /* gint64[TP_HULL_DIMS] */
  TpArray *faces;             /* TpHullFace: in no order. Several may lie in one plane */
} TpHull;

/* Of nothing else than @first: [TP_HULL_DIMS]. */
void tp_hull_init (TpHull *hull, const gint64 *first);
void tp_hull_clear (TpHull *hull);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpHull, tp_hull_clear)

/* FALSE: @at is in it already. */
gboolean tp_hull_add (TpHull *hull, const gint64 *at);

const gint64 *tp_hull_get_point (const TpHull *hull, int index);
/* Whether both lie in planes that have a direction in common. */
gboolean tp_hull_is_parallel (const TpHullWide *normal,
                              const TpHullWide *other);
/* Whether point @index is no mean of others, and no more than one. */
gboolean tp_hull_is_corner (const TpHull *hull, int index);

#endif
