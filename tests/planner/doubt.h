/* doubt.h: devices that are wrong by something. */
#ifndef TP_TESTS_DOUBT_H
#define TP_TESTS_DOUBT_H

#include "random-graph.h"

/* In half of the cases; seals its costs. */
static inline void
tp_test_case_doubt (TpTestCase *test)
{
  int n = test->costs->n_devices;
  TpCostErrors *errors;

  if (g_test_rand_bit ())
    return;
  errors = tp_cost_errors_new (n);
  for (int i = 0; i < n * n; i++)
    errors->covariances[i] = i / n == i % n
                                 ? g_test_rand_int_range (40000000, 250000000)
                                 : 30000000;
  errors->run_variance = 40000000;
  test->costs->errors = errors;
  tp_costs_seal (test->costs);
}

#endif
