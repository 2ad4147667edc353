/* solver.h: who finds placements, and what each can take. */
#ifndef TP_PLANNER_SOLVER_H
#define TP_PLANNER_SOLVER_H

#include "ir/plan.h"
#include "planner/problem.h"

typedef struct
{
  const char *name;
  int max_devices;
  guint kinds;                /* of objectives: bits of TpObjectiveKind */
  gboolean keeps_limits;      /* those of memory; others know none */
  gboolean allows_changes;    /* of state: others have runs overlap, and know nothing
                               * of what one has of the one before */
  const char *certificate;    /* kind of its proofs, by which tp_check () knows
                               * them */
  /* Sets the device of each node in @devices (zeroed), in @cheapest (likewise)
   * the one it has in the cheapest plan, and in @plan bound_ns, constant_ns,
   * the proof, and tie_price_ns where a tie was broken. What has no device at
   * all was refused before. */
  gboolean (*solve) (const TpProblem *problem, TpPlan *plan, guint8 *devices,
                     guint8 *cheapest, GError **error);
  /* (nullable): sets margin_ns and is_margin_least of every placement of @plan,
   * which have none. */
  void (*fill_margins) (const TpProblem *problem, TpPlan *plan);
} TpSolver;

/* The first that takes @problem; TPLAN_ERROR_UNSUPPORTED: none does. */
const TpSolver *tp_solver_find (const TpProblem *problem, GError **error);

#endif
