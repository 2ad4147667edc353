/* check-pace.h: what engines do that slow each other ends when it has to. */
#ifndef TP_PLANNER_CHECK_PACE_H
#define TP_PLANNER_CHECK_PACE_H

#include "ir/array.h"
#include "planner/check/check-private.h"

/* What keeps an engine busy. */
typedef struct
{
  int engine;
  gint64 start, end;
  gint64 alone_ns;            /* what it takes while no other engine works; above 0 */
} TpCheckerBusy;

/* Each from 1 to 1000, for one device or two; of an engine itself 1000. */
gboolean tp_checker_check_speeds (const TpChecker *checker);
/* @busy: TpCheckerBusy: of no engine two at once; all begin and end within
 * span_ns. */
void tp_checker_check_pace (TpChecker *checker, const TpArray *busy);

#endif
