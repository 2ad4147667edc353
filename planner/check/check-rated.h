/* check-rated.h: that none takes less energy or money, of two devices. */
#ifndef TP_PLANNER_CHECK_RATED_H
#define TP_PLANNER_CHECK_RATED_H

#include "planner/check/check-private.h"

/* The certificate of kind TP_PLAN_RATED_CUT. */
void tp_checker_check_rated (TpChecker *checker);

#endif
