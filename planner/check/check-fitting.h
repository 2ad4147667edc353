/* check-fitting.h: what a weighted sum of times is at least, of what fits into limits of
 * memory. */
#ifndef TP_PLANNER_CHECK_FITTING_H
#define TP_PLANNER_CHECK_FITTING_H

#include "planner/check/check-weigh.h"

/* @weights, @passed: as for tp_checker_weigh (). -1: nothing is proved, which was said. */
gint64 tp_checker_prove_fitting (TpChecker *checker, const gint64 *weights,
                                 const TpCheckerPassed *passed,
                                 const TpRoomProof *room);

/* The same of figures that are weighted, by one of both proofs. */
gint64 tp_checker_prove_weighed (TpCheckerWeighed *weighed, TpMemoryProof *tree,
                                 TpShareProof *shares);

#endif
