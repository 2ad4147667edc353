/* limit-peaks.h: what fits costs so much at least, by sweeps over all steps: a
 * tree that says how much devices hold at most besides constants. For graphs of
 * which little is undecided at once. */
#ifndef TP_PLANNER_LIMIT_PEAKS_H
#define TP_PLANNER_LIMIT_PEAKS_H

#include "planner/limit-best.h"

/**
 * tp_limit_peaks_search:
 * @best: the cheapest found
 *
 * Equal arguments give equal trees: what it may do is counted, not timed.
 *
 * Returns: (transfer full) (nullable): what @best costs at least, as of
 *   tp_limit_tree_search(); %NULL: too much is undecided at once.
 */
TpMemoryProof *tp_limit_peaks_search (TpLimitBest *best);

#endif
