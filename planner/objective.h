/* objective.h: what a plan can minimise. */
#ifndef TP_PLANNER_OBJECTIVE_H
#define TP_PLANNER_OBJECTIVE_H

#include "ir/costs.h"

/* What is made of the costs of parts: solvers differ in what they can take. */
typedef enum
{
  TP_OBJECTIVE_SUM = 1 << 0,  /* added up, as if nothing overlapped */
  TP_OBJECTIVE_MAX = 1 << 1,  /* added up for each engine: the most of these */
  TP_OBJECTIVE_RATED = 1 << 2, /* added up, each times the rate of its engine */
  TP_OBJECTIVE_SPAN = 1 << 3, /* engines work at once: when the last is done */
} TpObjectiveKind;

/* Costs of kernels and copies are integers, not negative. Both functions are pure,
 * and TP_COST_NONE stands for "cannot". */
typedef struct
{
  const char *name;
  TpObjectiveKind kind;
  gint64 aims[TP_N_AIMS];     /* of TP_OBJECTIVE_RATED: what each is worth; all 0:
                               * who asks says it */
  /* Of one kernel, a node or a whole group, on @device. */
  gint64 (*node_cost) (const TpCosts *costs, const TpCost *cost, int device);
  /* Of one copy of @tensor; @from, @to: as for tp_costs_copy (). */
  gint64 (*edge_cost) (const TpCosts *costs, int tensor, int from, int to);
} TpObjective;

const TpObjective *tp_objective_find (const char *name);
/* Whether it needs no more said, such as aims. */
gboolean tp_objective_is_complete (const TpObjective *objective);
/* Names of those that are; NULL-terminated. */
const char *const *tp_objective_list (void);

#endif
