/* place-case.h: placements of random graphs: all there are, and the best. */
#ifndef TP_TESTS_PLACE_CASE_H
#define TP_TESTS_PLACE_CASE_H

#include "random-graph.h"

/* The next of all placements of @n ops, of which the first is all 0; FALSE: there is
 * none. */
gboolean tp_test_step_devices (guint8 *devices, int n, int n_devices);
/* How long the busiest engine is busy; processors that are one engine do all of it in
 * turn. @loads: of tp_test_case_loads () */
gint64 tp_test_find_busiest (const TpTestCase *test, const gint64 *loads);
/* What flows out of s, of @n flows in the order of docs/plan-format.md. */
gint64 tp_test_sum_flow (const TpTestCase *test, const gint64 *flows, int n);

/* Of the least of @objective; there is one. */
TpPlan *tp_test_place (const TpTestCase *test, const char *objective);
/* Likewise, with no more copies than noise tells apart. */
TpPlan *tp_test_place_within_noise (const TpTestCase *test,
                                    const char *objective);
/* Every figure has the same relative spread. */
void tp_test_case_spread (const TpTestCase *test, double relative);

/* What tp_check () says. */
gboolean tp_test_is_taken (const TpPlan *plan, const TpTestCase *test);

#endif
