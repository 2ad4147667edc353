/* objective.h: what a plan can minimise. */
#ifndef TP_PLANNER_OBJECTIVE_H
#define TP_PLANNER_OBJECTIVE_H

#include "ir/costs.h"

/* A sum over kernels and copies of non-negative integers. Both functions are
 * pure, and TP_COST_NONE stands for "cannot". */
typedef struct
{
  const char *name;
  const char *unit;
  /* Of one kernel, a node or a whole group, on @device. */
  gint64 (*node_cost) (const TpCosts *costs, const TpCost *cost, int device);
  /* Of one copy of @tensor; @from, @to: as for tp_costs_copy (). */
  gint64 (*edge_cost) (const TpCosts *costs, int tensor, int from, int to);
} TpObjective;

const TpObjective *tp_objective_find (const char *name);

#endif
