/* check-load-room.h: what the busiest engine carries, and how long a run takes, at least
 * where one run has to fit into limits of memory. */
#ifndef TP_PLANNER_CHECK_LOAD_ROOM_H
#define TP_PLANNER_CHECK_LOAD_ROOM_H

#include "planner/check/check-private.h"

/* Nothing, where the plan says nothing of it. */
void tp_checker_check_load_room (TpChecker *checker);
void tp_checker_check_span_room (TpChecker *checker);

#endif
