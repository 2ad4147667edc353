/* sweep-case.h: plans of small random graphs within limits of memory, for trees of sweeps
 * made by hand. */
#ifndef TP_TESTS_SWEEP_CASE_H
#define TP_TESTS_SWEEP_CASE_H

#include "random-graph.h"

/* With groups or without, ops that are to be together, state or pins, as @round is. */
TpTestCase *tp_sweep_case_new (int k, int round);
/* [TP_SWEEP_MAX_DEVICES + 1], on one device to all: a part of what the cheapest takes
 * there, or elsewhere. */
void tp_sweep_case_draw_limits (const TpTestCase *test, gint64 *limits);

/* Within @limits, with a tree that is empty; NULL: they are not met, or, of two devices,
 * bind nothing. */
TpPlan *tp_sweep_case_place (const TpTestCase *test, const gint64 *limits);
/* Within such limits, with a tree that proves what is so of all, if anything: a peak of
 * the second device, two sweeps. */
TpPlan *tp_sweep_case_place_tree (const TpTestCase *test);

/* At any prices. */
TpProofEntry tp_sweep_draw (void);

#endif
