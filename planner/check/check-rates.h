/* check-rates.h: what a nanosecond of an engine takes of energy and money, and a plan. */
#ifndef TP_PLANNER_CHECK_RATES_H
#define TP_PLANNER_CHECK_RATES_H

#include "planner/check/check-private.h"

/* What is stated of devices, and what the plan is made for. */
gboolean tp_checker_check_rates (TpChecker *checker);
/* Into @weights, [engine], where @used have ops, a bit for each device. FALSE: they are
 * too large, which was said. */
gboolean tp_checker_find_rates (TpChecker *checker, const gint64 *aims,
                                guint used, gint64 *weights);
/* What the plan takes, of parts that were found right. */
gboolean tp_checker_check_totals (TpChecker *checker);

#endif
