/* limit-steps.h: all placements, op after op from the last to the first, as
 * ways through layers of nodes. What is decided meets in one node where it
 * makes no difference to what is left: which devices read what is still to be
 * made. */
#ifndef TP_PLANNER_LIMIT_STEPS_H
#define TP_PLANNER_LIMIT_STEPS_H

#include "planner/limit-scope.h"

/* An op on a device, from a node of its layer to one of the next. */
typedef struct
{
  int from, to;
  int device;
  gint64 cost;
  gint64 weights[TP_SWEEP_MAX_DEVICES]; /* [device]: of constants first read there */
  gint64 held[TP_SWEEP_MAX_DEVICES]; /* [device]: all else there when the op
                               * begins */
} TpLimitWay;

typedef struct
{
  const TpLimitScope *scope;  /* (unowned) */
  gboolean is_limited[TP_SWEEP_MAX_DEVICES]; /* [device]: what is 0 besides is of no
                               * account */
  int n_limited;              /* how many are */
  int *n_nodes;               /* [layer]: of op n_ops - 1 first; in the end all
                               * is decided */
  int *first_way;             /* [layer]: as many more as there are */
  TpArray *ways;              /* TpLimitWay: by layer, then by target */
} TpLimitSteps;

/* Returns: (nullable): NULL: too much is undecided at once. */
TpLimitSteps *tp_limit_steps_new (const TpLimitScope *scope);
void tp_limit_steps_free (TpLimitSteps *steps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLimitSteps, tp_limit_steps_free)

static inline const TpLimitWay *
tp_limit_steps_get (const TpLimitSteps *steps, int way)
{
  return &tp_array_index (steps->ways, TpLimitWay, way);
}

#endif
