/* heft.h: a placement made op by op, each where it ends first where engines work at
 * once. */
#ifndef TP_PLANNER_HEFT_H
#define TP_PLANNER_HEFT_H

#include "planner/problem.h"

/**
 * tp_heft_place:
 * @n_steps: what may be looked at of what engines do
 * @devices: (out): [node]
 *
 * Of groups only the last op is to be read by others. Knows no limits of memory, nor
 * that engines slow each other. FALSE: that was not enough.
 */
gboolean tp_heft_place (const TpProblem *problem, gint64 n_steps,
                        guint8 *devices);

#endif
