/* rounds.h: how often tests draw anew: more in `make check-full`. */
#ifndef TP_TESTS_PLANNER_ROUNDS_H
#define TP_TESTS_PLANNER_ROUNDS_H

#include <glib.h>

/* Plans spoilt in one way that are written for the checker in Python, and how many
 * are looked at for some that can be. */
#define TP_EACH tp_test_count_rounds (2, 5)
#define TP_TRIES tp_test_count_rounds (200, 1000)

static inline int
tp_test_count_rounds (int usual, int full)
{
  return g_getenv ("TPLAN_TEST_FULL") == NULL ? usual : full;
}

#endif
