/* noise.h: can the figures tell two placements apart? */
#ifndef TP_PLANNER_NOISE_H
#define TP_PLANNER_NOISE_H

#include "planner/problem.h"

/* Whether @excess_ns, by which @devices costs more than @others, is within noise:
 * tp_costs_get_tie_sds () standard deviations of that difference. Each has one a
 * node. */
gboolean tp_noise_covers (const TpProblem *problem, const guint8 *devices,
                          const guint8 *others, gint64 excess_ns);
/* Noise covers no more between any two placements; 0: all figures are exact. */
gint64 tp_noise_limit_ns (const TpProblem *problem);

#endif
