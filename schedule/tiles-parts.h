/* tiles-parts.h: K in parts, for results too small to keep a GPU busy: each
 * part stores its sums in a workspace, and a nest adds them up. */
#ifndef TP_SCHEDULE_TILES_PARTS_H
#define TP_SCHEDULE_TILES_PARTS_H

#include "schedule/build.h"
#include "schedule/tiles.h"

/* Makes @nest, a copy, store its bare sums in a workspace: its last axis is
 * then the part. */
void tp_tiles_divide (const TpTilePlan *plan, TpBuild *build, TpNest *nest);
/* Schedules what adds them up and does the rest of the nest. */
void tp_tiles_add_up (const TpTilePlan *plan, TpBuild *build,
                      const TpNest *divided);

#endif
