/* check-certificate.h: proofs by their kinds. */
#ifndef TP_PLANNER_CHECK_CERTIFICATE_H
#define TP_PLANNER_CHECK_CERTIFICATE_H

#include "planner/check/check-private.h"

/* The proof, by the kind that the plan names; everything else checked before. */
void tp_checker_check_certificate (TpChecker *checker);

#endif
