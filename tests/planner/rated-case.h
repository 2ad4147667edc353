/* rated-case.h: plans for energy, for price and for both, and what all placements take. */
#ifndef TP_TESTS_RATED_CASE_H
#define TP_TESTS_RATED_CASE_H

#include "random-graph.h"

#define TP_RATED_CASE_OPS 6   /* at most, where all placements are tried */

/* What a unit of time, energy and price is worth in @round. */
const gint64 *tp_rated_case_get_aims (int round);
gint64 tp_rated_case_weigh (const gint64 *totals, const gint64 *aims);
/* The least of all placements, or of those that fit into @limits (nullable). */
gint64 tp_rated_case_try_all (const TpTestCase *test, const gint64 *aims,
                              const gint64 *limits);

/* By these aims. @limits: (nullable). */
TpPlan *tp_rated_case_place (const TpTestCase *test, int round,
                             const gint64 *limits, int n_cuts, GError **error);
TpPlan *tp_rated_case_place_free (const TpTestCase *test, int round);
/* tp_check () takes it, and it says what it takes. */
void tp_rated_case_check (const TpPlan *plan, const TpTestCase *test,
                          const gint64 *aims);

#endif
