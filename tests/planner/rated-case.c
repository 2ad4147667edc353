/* rated-case.c: see rated-case.h. */
#include "config.h"

#include "rated-case.h"

#include "ir/plan-memory.h"
#include "memory-case.h"
#include "place-case.h"
#include "planner/place.h"
#include "random-rates.h"

#include <string.h>

#define MAX_OPS TP_RATED_CASE_OPS

static const struct
{
  const char *objective;
  gint64 aims[TP_N_AIMS];
} objectives[] = {
  { "energy", { 0, 1, 0 } },     { "price", { 0, 0, 1 } },
  { "weighted", { 3, 2, 0 } },   { "weighted", { 50, 0, 1 } },
  { "weighted", { 1, 1, 1 } },
};

gint64
tp_rated_case_weigh (const gint64 *totals, const gint64 *aims)
{
  gint64 sum = 0;

  for (int aim = 0; aim < TP_N_AIMS; aim++)
    sum += totals[aim] * aims[aim];
  return sum;
}

gint64
tp_rated_case_try_all (const TpTestCase *test, const gint64 *aims,
                       const gint64 *limits)
{
  int n = test->graph->n_nodes;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 totals[TP_N_AIMS], best = TP_COST_NONE;

  do
    {
      if (tp_test_case_take (test, devices, totals)
          && tp_rated_case_weigh (totals, aims) < best
          && tp_memory_case_fits (test, devices, limits))
        best = tp_rated_case_weigh (totals, aims);
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return best;
}

TpPlan *
tp_rated_case_place (const TpTestCase *test, int round, const gint64 *limits,
                     int n_cuts, GError **error)
{
  gsize index = (gsize) round % G_N_ELEMENTS (objectives);
  const TpPlaceOptions options
      = { .objective = objectives[index].objective,
          .limits = limits,
          .n_cuts = n_cuts,
          .heeds_noise = TRUE,
          .aims = strcmp (objectives[index].objective, "weighted") == 0
                      ? objectives[index].aims
                      : NULL };
  TpPlan *plan = tp_place_with (test->graph, test->groups, test->costs,
                                &options, error);

  if (plan != NULL)
    tp_plan_count_memory (plan, test->graph);
  return plan;
}

TpPlan *
tp_rated_case_place_free (const TpTestCase *test, int round)
{
  g_autoptr (GError) error = NULL;
  TpPlan *plan = tp_rated_case_place (test, round, NULL, 0, &error);

  g_assert_no_error (error);
  return plan;
}

const gint64 *
tp_rated_case_get_aims (int round)
{
  return objectives[(gsize) round % G_N_ELEMENTS (objectives)].aims;
}

void
tp_rated_case_check (const TpPlan *plan, const TpTestCase *test,
                     const gint64 *aims)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  const TpRateProof *proof = plan->rate_proof;
  gint64 totals[TP_N_AIMS];

  tp_test_assert_checked (plan, test->graph);
  g_assert_true (tp_test_case_take (test, devices, totals));
  g_assert_cmpmem (proof->totals, sizeof totals, totals, sizeof totals);
  g_assert_cmpmem (proof->aims, sizeof proof->aims, aims, sizeof proof->aims);
  g_assert_cmpint (proof->cost, ==, tp_rated_case_weigh (totals, aims));
  g_assert_cmpint (proof->bound, <=, proof->cost);
}

