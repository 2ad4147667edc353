/* check-ends.h: what the busiest engine carries at least of what fits into memory, of one plan
 * or of several that are there at once, by a tree of ops that are fixed. */
#ifndef TP_PLANNER_CHECK_ENDS_H
#define TP_PLANNER_CHECK_ENDS_H

#include "planner/check/check-loads.h"

/* Of the room in the proof of @loads; @limits: of all parts together. Faults are taken down
 * by the checker of the first part. */
void tp_checker_check_ends (const TpCheckerLoads *loads, gint64 *limits);

#endif
