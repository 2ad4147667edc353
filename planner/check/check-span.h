/* check-span.h: the schedule of a run whose engines work at once. */
#ifndef TP_PLANNER_CHECK_SPAN_H
#define TP_PLANNER_CHECK_SPAN_H

#include "planner/check/check-private.h"

/* "schedule": that every kernel and copy begins once what it needs is there, none while
 * its engine does another; when the last ends; and that no run ends sooner than
 * span_bound_ns. What engines carry is checked as for throughput. At most two
 * devices. */
void tp_checker_check_span (TpChecker *checker);

#endif
