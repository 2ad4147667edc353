/* parts.h: a sum cut into parts: each part stores its sums in a workspace, and a
 * nest adds them up. */
#ifndef TP_SCHEDULE_PARTS_H
#define TP_SCHEDULE_PARTS_H

#include "schedule/build.h"

/* Where sums go: axes of the result, from the one whose neighbours lie together. */
typedef struct
{
  int n;
  int axes[TP_NEST_MAX_AXES];
} TpPartsOrder;

/* Makes @nest, a copy, store its bare sums in a new workspace, dense, those of
 * @axis, of parts, furthest apart. */
void tp_parts_divide (const TpPartsOrder *order, TpBuild *build, TpNest *nest,
                      int axis);
/* What adds them up and does the rest of @whole. Owned by the caller. */
TpNest *tp_parts_make_sum (const TpNest *whole, const TpNest *divided, int axis);
/* Schedules it. */
void tp_parts_add_up (TpBuild *build, const TpNest *whole,
                      const TpNest *divided, int axis);

#endif
