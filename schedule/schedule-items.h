/* schedule-items.h: the family "items", also for kernels that several nests
 * share. */
#ifndef TP_SCHEDULE_SCHEDULE_ITEMS_H
#define TP_SCHEDULE_SCHEDULE_ITEMS_H

#include "schedule/family.h"
#include "schedule/window.h"

extern const TpFamily tp_schedule_items;

/* @nest as the model would have it, with @local_size items per group. */
void tp_schedule_items_plan (TpWindowPlan *window, const TpBuild *build,
                             TpNest *nest, int local_size);

#endif
