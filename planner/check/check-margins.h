/* check-margins.h: what ops cost more elsewhere. */
#ifndef TP_PLANNER_CHECK_MARGINS_H
#define TP_PLANNER_CHECK_MARGINS_H

#include "planner/check/check-private.h"

/* Of a plan that nothing else is wrong with. */
void tp_checker_check_margins (TpChecker *checker);

#endif
