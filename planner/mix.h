/* mix.h: one placement for several graphs that share the devices of one machine, each
 * run at its rate. */
#ifndef TP_PLANNER_MIX_H
#define TP_PLANNER_MIX_H

#include "ir/mix.h"

/**
 * tp_mix_place:
 * @mix: names, rates, graphs, and of each the plan for throughput that it would have
 *   alone, all for the same devices
 * @limits: (nullable): [row] (ir/pools.h): bytes that arenas and weights of all plans may take
 *   together; 0: no limit
 *
 * Moves ops in all plans so that in a round of runs the busiest engine carries the
 * least that was found, and proves what none goes below. Pure, and counted as
 * tp_load_solve () is.
 *
 * TPLAN_ERROR_UNSUPPORTED: more than six devices: name fewer.
 * TPLAN_ERROR_LIMIT: costs or rates too large to be weighted: mend the costs.
 * TPLAN_ERROR_INFEASIBLE: the rates cannot be kept, or nothing was found that does; or
 *   that fits into @limits.
 */
gboolean tp_mix_place (TpMix *mix, const gint64 *limits, GError **error);

/* What the busiest engine carries in a round with all ops on @device; -1: one cannot
 * be there. */
gint64 tp_mix_find_alone (const TpMix *mix, int device);

#endif
