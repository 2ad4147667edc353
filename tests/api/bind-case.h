/* bind-case.h: a plan proved for what it stands on, and lies about that. */
#ifndef TP_TESTS_BIND_CASE_H
#define TP_TESTS_BIND_CASE_H

#include "ir/plan.h"

extern const char *const bind_case_devices[];

typedef struct
{
  TpGraph *graph;
  TpPlan *plan;
} BindCase;

typedef struct
{
  const char *name;
  void (*mutate) (BindCase *it);
} BindMutation;

/* Of tests/plans/given.json. */
void bind_case_init (BindCase *it);
void bind_case_clear (BindCase *it);
/* One of tests/plans. */
TpGraph *bind_case_load (const char *name);
/* Plans with @costs, or those that are certain. */
void bind_case_plan_costs (BindCase *it, const TpGroups *groups, TpCosts *costs);
void bind_case_plan (BindCase *it, const TpGroups *groups);
/* Again, with the costs of the plan, changed. */
void bind_case_replan (BindCase *it);
/* For g_test_add_data_func (): a mutation is refused. */
void bind_case_refuse (gconstpointer mutation);

#endif
