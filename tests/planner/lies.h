/* lies.h: plans that say what is not so are refused, by both checkers. */
#ifndef TP_TESTS_LIES_H
#define TP_TESTS_LIES_H

#include "mutations.h"

typedef struct
{
  const TpTestMutation *mutations; /* each makes a plan not valid; ends with a NULL name */
  TpTestCase *(*make) (int round);
  TpPlan *(*place) (const TpTestCase *test, int round); /* NULL: there is none */
  int n_good, n_each;         /* plans for the checker in Python: of those that are right,
                               * of each mutation */
} TpTestLies;

/* tp_check () refuses @plan, and one of the reasons begins or goes on so. */
void tp_test_assert_refused (const TpPlan *plan, const TpTestCase *test,
                             const char *reason);
/* For g_test_add_data_func (), of TpTestLies: tp_check () refuses ten of each. */
void tp_test_lies_check (gconstpointer lies);
/* check_plan.py refuses them, and takes what is right. */
void tp_test_lies_check_second (gconstpointer lies);

#endif
