/* check-shares.h: shares of terms, and trees of choices, for several devices. */
#ifndef TP_PLANNER_CHECK_SHARES_H
#define TP_PLANNER_CHECK_SHARES_H

#include "planner/check/check-private.h"

#define TP_CHECKER_MAX_SHARING 8 /* devices: sets of them are counted */

/* "share-tree": that no placement costs less than bound_ns. */
void tp_checker_check_shares (TpChecker *checker);

#endif
