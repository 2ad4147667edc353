/* check-tie.h: may a plan cost more than the cheapest? */
#ifndef TP_PLANNER_CHECK_TIE_H
#define TP_PLANNER_CHECK_TIE_H

#include "planner/check/check-side.h"

/* What the plan says of the cheapest one; @side, @cost: of the plan, worked out.
 * That the price proves what it should is the certificate's business. */
void tp_checker_check_tie (const TpCheckerSide *side, gint64 cost);

/* Of a plan that has another reason to cost more: that its "cheapest" costs the
 * bound. */
void tp_checker_check_cheapest (TpChecker *checker);

#endif
