/* schedule-window.h: the family "window", also for kernels that several nests
 * share. */
#ifndef TP_SCHEDULE_SCHEDULE_WINDOW_H
#define TP_SCHEDULE_SCHEDULE_WINDOW_H

#include "schedule/family.h"
#include "schedule/window.h"

extern const TpFamily tp_schedule_window;

/* The window of a choice without fault; may pack constants. */
void tp_schedule_window_plan (TpWindowPlan *window, TpBuild *build,
                              gconstpointer analysis, const TpChoice *choice);

#endif
