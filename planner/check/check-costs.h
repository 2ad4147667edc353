/* check-costs.h: what parts of a plan cost. */
#ifndef TP_PLANNER_CHECK_COSTS_H
#define TP_PLANNER_CHECK_COSTS_H

#include "planner/check/check-private.h"

TpCheckerMeasure tp_checker_find_measure (const char *objective);
/* Of all on @device; TP_COST_NONE: not all may be there. */
gint64 tp_checker_single_cost (const TpChecker *checker, int device);
/* Of an op alone; TP_COST_NONE: may not be there. */
static inline gint64
tp_checker_node_cost (const TpChecker *checker, int node, int device)
{
  return checker->node_costs[(gsize) node * checker->costs->n_devices
                             + device];
}

static inline gboolean
tp_checker_may_run (const TpChecker *checker, int node, int device)
{
  return tp_checker_node_cost (checker, node, device) != TP_COST_NONE;
}

/* What one half of a copy adds to the objective, and then the other; @from, @to:
 * devices, or TP_COSTS_HOST. Of costs whose range was checked. */
static inline gint64
tp_checker_copy_cost (const TpChecker *checker, int tensor, int from, int to)
{
  const TpCheckerLegs *legs
      = &checker->legs[(gsize) tensor * checker->costs->n_devices];

  if (from == to)
    return 0;
  return (from == TP_COSTS_HOST ? 0 : legs[from].fetch)
         + (to == TP_COSTS_HOST ? 0 : legs[to].feed);
}

#endif
