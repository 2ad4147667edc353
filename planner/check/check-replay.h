/* check-replay.h: between what a schedule ends, once its times were found right. */
#ifndef TP_PLANNER_CHECK_REPLAY_H
#define TP_PLANNER_CHECK_REPLAY_H

#include "planner/check/check-private.h"

void tp_checker_check_replay (TpChecker *checker);

#endif
