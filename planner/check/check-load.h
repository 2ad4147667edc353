/* check-load.h: the least load of the busiest engine. */
#ifndef TP_PLANNER_CHECK_LOAD_H
#define TP_PLANNER_CHECK_LOAD_H

#include "planner/check/check-private.h"

/* "weighted-cut": what engines carry, that no placement has a busiest engine that
 * carries less than load_bound_ns, and which plan is cheapest for one run. At most two
 * devices. */
void tp_checker_check_load (TpChecker *checker);
/* Of three devices and more. */
void tp_checker_check_load_several (TpChecker *checker);

#endif
