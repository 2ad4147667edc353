/* load-bound.h: what no weighted sum of loads is below: of two devices a minimum cut, of
 * more what shares prove (share-climb.c). */
#ifndef TP_PLANNER_LOAD_BOUND_H
#define TP_PLANNER_LOAD_BOUND_H

#include "ir/array.h"
#include "ir/load-proof.h"
#include "planner/problem.h"

/* Whether all costs together are so small that weights prove anything. */
gboolean tp_load_bound_check (const TpProblem *problem, GError **error);
/* What weights add up to, rounding apart. */
gint64 tp_load_bound_get_total (const TpProblem *problem);

/* With costs by @weights, which outlive it, and ops in @fixed ([op]; -1: anywhere) barred from
 * other devices: proofs fix those that lead, which others follow. */
TpProblem *tp_load_bound_weigh (const TpProblem *problem, const gint64 *weights,
                                const gint8 *fixed);

/**
 * tp_load_bound_find:
 * @weights: [engine]
 * @fixed: [op]: where it is to be; -1: wherever it may
 * @devices: [op]: a placement that is cheap by these weights, of two devices the cheapest
 */
gint64 tp_load_bound_find (const TpProblem *problem, const gint64 *weights,
                           const gint8 *fixed, guint8 *devices);
/* Adds an end with them to @proof, and its flows to @flows; there is room for it. One device
 * needs none. */
void tp_load_bound_prove (const TpProblem *problem, const gint64 *weights,
                          const gint8 *fixed, TpLoadProof *proof,
                          TpArray *flows);

#endif
