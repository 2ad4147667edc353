/* limit-scope.h: of what all placements are swept: two devices or a few more, what ops
 * cost there, and limits of memory. */
#ifndef TP_PLANNER_LIMIT_SCOPE_H
#define TP_PLANNER_LIMIT_SCOPE_H

#include "ir/memory-proof.h"
#include "planner/limit-held.h"

typedef struct
{
  const TpProblem *problem;   /* (unowned) */
  const TpLimitHeld *held;    /* (unowned) */
  int n_devices, n_ops;
  gint64 limits[TP_SWEEP_MAX_DEVICES]; /* 0: none; no more than a pool has */
  gint64 pool;                /* of two devices: for both; 0: no limit, or none */
  gint64 *own;                /* [op * n_devices + device]: alone; TP_COST_NONE: not
                               * there */
  gint64 constant;            /* gains of groups: what is paid, less this */
  gint64 sum;                 /* of all that could be paid */
  gint64 max_price;           /* of 2^30 bytes: nothing overflows */
} TpLimitScope;

/* FALSE: there are too many devices, or more than two and some share memory of which
 * there may be too little. */
gboolean tp_limit_scope_init (TpLimitScope *scope, const TpProblem *problem,
                              const TpLimitHeld *held);
void tp_limit_scope_clear (TpLimitScope *scope);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLimitScope, tp_limit_scope_clear)

/* Whether both of two devices can take too much of what they share. */
static inline gboolean
tp_limit_scope_has_pool (const TpLimitScope *scope)
{
  return scope->pool > 0 && (scope->pool + 1) / 2 < scope->held->all_bytes;
}

#endif
