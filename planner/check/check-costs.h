/* check-costs.h: what parts of a plan cost. */
#ifndef TP_PLANNER_CHECK_COSTS_H
#define TP_PLANNER_CHECK_COSTS_H

#include "planner/check/check-private.h"

TpCheckerMeasure tp_checker_find_measure (const char *objective);
/* By its pins, and by what the device can. */
gboolean tp_checker_may_run (const TpChecker *checker, int node, int device);
/* Of an op alone; TP_COST_NONE: may not be there. */
gint64 tp_checker_node_cost (const TpChecker *checker, int node, int device);
/* @from, @to: devices, or TP_COSTS_HOST. */
gint64 tp_checker_copy_cost (const TpChecker *checker, int tensor, int from,
                             int to);

#endif
