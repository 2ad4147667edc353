/* plane-plan.h: where rows of planes lie in scratch. */
#ifndef TP_SCHEDULE_PLANE_PLAN_H
#define TP_SCHEDULE_PLANE_PLAN_H

#include "schedule/plane.h"

/* Of @lanes, vectors, a tile's rows, those of a block, and planes: @values. */
void tp_plane_plan_init (TpPlanePlan *plan, const TpPlane *plane,
                         const gint64 *values);
/* Of scratch. */
gint64 tp_plane_plan_count_elements (const TpPlanePlan *plan);
/* Where column unit @unit of a staged row lies in it. */
gint64 tp_plane_plan_find_column (const TpPlanePlan *plan, gint64 unit);

#endif
