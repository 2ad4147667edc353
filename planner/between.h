/* between.h: costs between two that were measured: of one graph, for two values of a
 * dimension. */
#ifndef TP_PLANNER_BETWEEN_H
#define TP_PLANNER_BETWEEN_H

#include "planner/lines.h"

/* What there is of one value; all unowned. */
typedef struct
{
  const TpGraph *graph;
  const TpGroups *groups;
  const TpCosts *costs;
} TpBetweenEnd;

/* Zeroed at first. */
typedef struct
{
  TpLines lines;              /* of the least time; x is 0 at the one, 1 at the other */
  TpGroups *groups;           /* of both: their own */
} TpBetween;

void tp_between_clear (TpBetween *between);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpBetween, tp_between_clear)

/**
 * tp_between_init:
 * @low, @high: of the same devices
 *
 * Every figure is on a straight line from one end to the other. A group that is one of
 * one end alone saves there what it does, and at the other nothing.
 *
 * Returns: why there are no such lines, NULL: there are: ops, or devices that can run
 *   them, or groups that share ops, are not the same at both.
 */
const char *tp_between_init (TpBetween *between, const TpBetweenEnd *low,
                             const TpBetweenEnd *high);

#endif
