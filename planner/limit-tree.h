/* limit-tree.h: branch and bound over the devices of ops. */
#ifndef TP_PLANNER_LIMIT_TREE_H
#define TP_PLANNER_LIMIT_TREE_H

#include "planner/limit-best.h"

/**
 * tp_limit_tree_search:
 * @best: without any placement; the cheapest found
 * @n_cuts: how many may be made
 *
 * Equal arguments give equal trees: what it may do is counted, not timed.
 *
 * Returns: (transfer full): what @best costs at least; where @best has none, that
 *   there is none, if bound_ns is TP_COST_NONE.
 */
TpMemoryProof *tp_limit_tree_search (TpLimitBest *best, int n_cuts);

#endif
