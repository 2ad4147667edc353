/* random-rates.h: watts and prices for tests of the planner. */
#ifndef TP_TESTS_RANDOM_RATES_H
#define TP_TESTS_RANDOM_RATES_H

#include "random-graph.h"

/* Of every device of @test, from GTest's random numbers; seals its costs. */
void tp_test_case_rate (TpTestCase *test);

/* [TP_N_AIMS]: time, energy and price of a placement, straight from the words of
 * docs/planner.md; FALSE: not allowed. */
gboolean tp_test_case_take (const TpTestCase *test, const guint8 *devices,
                            gint64 *out_totals);

#endif
