/* check-rated-several.h: that none takes less energy or money, of three devices and more. */
#ifndef TP_PLANNER_CHECK_RATED_SEVERAL_H
#define TP_PLANNER_CHECK_RATED_SEVERAL_H

#include "planner/check/check-private.h"

/* The certificate of kind TP_PLAN_RATED_SHARES. */
void tp_checker_check_rated_several (TpChecker *checker);

#endif
