/* pareto-case.h: points of two things and three, and what all placements take. */
#ifndef TP_TESTS_PARETO_CASE_H
#define TP_TESTS_PARETO_CASE_H

#include "planner/pareto.h"
#include "random-graph.h"

#define TP_PARETO_CASE_OPS 8  /* at most, where all placements are tried */

/* Time, energy and price. */
extern const TpAim tp_pareto_case_aims[TP_N_AIMS];

/* Of graphs whose ops may all be anywhere, by themselves. */
TpTestSpec tp_pareto_case_spec (int n_ops);
/* What draws or costs more is faster, copies are short, and nobody pays or draws for
 * waiting: so each op has its say, and there are many corners. */
void tp_pareto_case_loosen (TpTestCase *test);

/* Without limits. */
TpParetoTask tp_pareto_case_task (const TpTestCase *test, int n_aims,
                                  const TpAim *aims);
/* There are points. */
TpPareto *tp_pareto_case_find (const TpParetoTask *task);
/* What point @index takes of the first thing (0), the second or the third. */
gint64 tp_pareto_case_get_total (const TpPareto *pareto, int index, int thing);

/* tp_check () takes all plans, and no placement takes less of anything than is said.
 * Whether it is complete: then its points are all corners there are, and no others. */
gboolean tp_pareto_case_check (const TpPareto *pareto, const TpParetoTask *task,
                               const TpTestCase *test);

#endif
