/* objective.h: what a plan can minimise. */
#ifndef TP_PLANNER_OBJECTIVE_H
#define TP_PLANNER_OBJECTIVE_H

#include "ir/costs.h"

/* What is made of the costs of parts: solvers differ in what they can take. */
typedef enum
{
  TP_OBJECTIVE_SUM = 1 << 0,  /* added up, as if nothing overlapped */
  TP_OBJECTIVE_MAX = 1 << 1,  /* added up for each engine: the most of these */
  TP_OBJECTIVE_SPAN = 1 << 2, /* engines work at once: when the last is done */
} TpObjectiveKind;

/* Costs of kernels and copies are integers, not negative. Both functions are pure,
 * and TP_COST_NONE stands for "cannot". */
typedef struct
{
  const char *name;
  const char *unit;
  TpObjectiveKind kind;
  /* Of one kernel, a node or a whole group, on @device. */
  gint64 (*node_cost) (const TpCosts *costs, const TpCost *cost, int device);
  /* Of one copy of @tensor; @from, @to: as for tp_costs_copy (). */
  gint64 (*edge_cost) (const TpCosts *costs, int tensor, int from, int to);
} TpObjective;

const TpObjective *tp_objective_find (const char *name);
/* Their names; NULL-terminated. */
const char *const *tp_objective_list (void);

#endif
