/* chain-case.h: random graphs whose groups are as tp_fuse_find () makes them. */
#ifndef TP_TESTS_CHAIN_CASE_H
#define TP_TESTS_CHAIN_CASE_H

#include "random-graph.h"

/* Of up to @most ops, and two to four devices. */
TpTestCase *tp_test_chain_case_new (int most);
TpTestCase *tp_test_chain_case_new_for (int most, int n_devices);
/* Engines slow each other, from GTest's random numbers; seals its
 * costs. */
void tp_test_case_slow (TpTestCase *test);

#endif
