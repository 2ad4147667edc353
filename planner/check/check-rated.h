/* check-rated.h: what a plan takes of energy and money, and that none takes less. */
#ifndef TP_PLANNER_CHECK_RATED_H
#define TP_PLANNER_CHECK_RATED_H

#include "planner/check/check-private.h"

/* The certificate of kind TP_PLAN_RATED_CUT. */
void tp_checker_check_rated (TpChecker *checker);
/* TP_PLAN_RATED_SHARES. */
void tp_checker_check_rated_several (TpChecker *checker);

#endif
