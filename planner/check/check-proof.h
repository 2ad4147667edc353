/* check-proof.h: minimum cuts as proofs. */
#ifndef TP_PLANNER_CHECK_PROOF_H
#define TP_PLANNER_CHECK_PROOF_H

#include "planner/check/check-private.h"

/* "min-cut": that the flow proves bound_ns. At most two devices. */
void tp_checker_check_cut (TpChecker *checker);
/* What it proves, at least 0; of one device nothing is: 0. FALSE: it is no flow, which was
 * said. */
gboolean tp_checker_find_cut (TpChecker *checker, gint64 *out_bound);
/* How many flows a proof has. */
int tp_checker_count_flows (const TpChecker *checker);

#endif
