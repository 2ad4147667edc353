/* scale.h: what a machine costs as one thing of it changes, as lines. */
#ifndef TP_PLANNER_SCALE_H
#define TP_PLANNER_SCALE_H

#include "planner/lines.h"

/**
 * tp_scale_make_lines:
 * @costs: as they are for x = 1, or with any rate in place of that which changes;
 *   spreads are not heeded
 * @out: with its graph and groups; of the least time, energy or price; borrows @costs
 *
 * FALSE: those of tp_problem_new (); TPLAN_ERROR_USAGE: rates are not stated.
 */
gboolean tp_scale_make_lines (const TpScale *scale, const TpCosts *costs,
                              TpLines *out, GError **error);

/* What @scale is asked with: "time", "energy" or "price". */
const char *tp_scale_get_objective (const TpScale *scale);

#endif
