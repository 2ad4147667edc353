/* check-interval.h: between what a run is said to be. */
#ifndef TP_PLANNER_CHECK_INTERVAL_H
#define TP_PLANNER_CHECK_INTERVAL_H

#include "planner/check/check-side.h"

/* cost_low_ns and cost_high_ns, from the spreads and the errors of devices in the
 * costs. A plan from before there were errors may have none. */
void tp_checker_check_interval (const TpCheckerSide *side);

#endif
