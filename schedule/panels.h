/* panels.h: an axis of a result in panels of some columns, and constants packed so
 * that what a panel takes of them lies together, a vector of columns after the
 * other. */
#ifndef TP_SCHEDULE_PANELS_H
#define TP_SCHEDULE_PANELS_H

#include "schedule/build.h"

/* Whether everything that @expr reads along @axis is constant and can be packed. */
gboolean tp_panels_fit (const TpBuild *build, const TpNest *nest, int expr,
                        int axis);
/* How an axis is cut. */
typedef struct
{
  int axis;
  gint64 width;               /* columns of a panel */
  int inner;                  /* an axis whose elements lie together, within those of
                               * columns; -1: none */
} TpPanelCut;

/* Lets an axis of @nest go over the columns of a panel; returns the new axis,
 * the last one, which goes over panels: -1, there are too many. The last panel is as
 * wide as all. What @expr reads along the axis is packed, zeros behind its end: by panels,
 * then by all other axes it walks, the first ones furthest apart. */
int tp_panels_cut (TpBuild *build, TpNest *nest, int expr,
                   const TpPanelCut *given);

#endif
