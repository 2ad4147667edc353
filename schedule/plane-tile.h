/* plane-tile.h: the kernel of a window over planes. */
#ifndef TP_SCHEDULE_PLANE_TILE_H
#define TP_SCHEDULE_PLANE_TILE_H

#include "schedule/plane.h"

void tp_plane_plan_emit (const TpPlanePlan *plan, TpBuild *build);

#endif
