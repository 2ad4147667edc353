/* check-proof.h: minimum cuts as proofs. */
#ifndef TP_PLANNER_CHECK_PROOF_H
#define TP_PLANNER_CHECK_PROOF_H

#include "planner/check/check-private.h"

/* "min-cut": the arcs and their flow. At most two devices. */
void tp_checker_check_cut (TpChecker *checker);

#endif
