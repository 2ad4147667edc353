/* check-facts.h: what is asked of graph and costs again and again, side by side:
 * the records of either are large, and most of them is never asked for. */
#ifndef TP_PLANNER_CHECK_FACTS_H
#define TP_PLANNER_CHECK_FACTS_H

#include "planner/check/check-private.h"

/* Of a checker whose sizes fit each other. */
void tp_checker_gather_facts (TpChecker *checker);
void tp_checker_drop_facts (TpChecker *checker);
/* @devices: [node]. */
gboolean tp_checker_check_together (TpChecker *checker, const int *devices);

#endif
