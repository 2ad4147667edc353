/* test-tie-several.c: ties that noise makes on three devices and more: what is taken has
 * fewer copies than the cheapest and costs no more than noise, by the words of
 * docs/planner.md, and both checkers hold it to that. */
#include "config.h"

#include "format/plan-json.h"
#include "ir/plan-memory.h"
#include "lies.h"
#include "place-case.h"
#include "random-graph.h"

#include <string.h>

/* Every figure has the same relative spread. */
static TpTestCase *
new_case (int round, int n_ops, double relative)
{
  TpTestSpec spec = tp_test_spec_together (n_ops);
  TpTestCase *test;

  spec.n_devices = 3 + round % 2;
  spec.host = round % 5 == 0 ? TP_COSTS_HOST : round % spec.n_devices;
  test = tp_test_case_new (&spec);
  test->costs->is_same_silicon = round % 4 == 0;
  tp_test_case_spread (test, relative);
  return test;
}

static TpPlan *
place (const TpTestCase *test)
{
  TpPlan *plan = tp_test_place_within_noise (test, "time");

  tp_plan_count_memory (plan, test->graph);
  return plan;
}

static guint8 *
dup_cheapest (const TpPlan *plan)
{
  guint8 *devices = g_new0 (guint8, plan->n_placements + 1);

  for (int i = 0; i < plan->n_placements; i++)
    devices[i] = (guint8) plan->placements[i].cheapest;
  return devices;
}

static gboolean
is_covered (const TpTestCase *test, const guint8 *devices,
            const guint8 *cheapest)
{
  gint64 excess = tp_test_case_cost (test, devices)
                  - tp_test_case_cost (test, cheapest);

  return excess <= (test->costs->is_same_silicon ? 3 : 1)
                       * tp_test_case_noise (test, devices, cheapest)
                       * (1 + 1e-12);
}

/* None on one device that noise covers has fewer copies than the plan; where all figures
 * are as good as exact nobody looks. */
static void
check_alone (const TpTestCase *test, const TpPlan *plan, const guint8 *cheapest)
{
  g_autofree guint8 *own = tp_test_plan_devices (plan);
  g_autofree guint8 *devices = g_new0 (guint8, plan->n_placements + 1);

  for (int d = 0; d < plan->n_devices; d++)
    {
      memset (devices, d, plan->n_placements);
      if (tp_test_case_cost (test, devices) != TP_COST_NONE
          && tp_test_case_noise (test, devices, cheapest) >= 1
          && is_covered (test, devices, cheapest))
        g_assert_cmpint (tp_test_case_count (test, own), <=,
                         tp_test_case_count (test, devices));
    }
}

static void
check_plan (const TpTestCase *test, const TpPlan *plan)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  g_autofree guint8 *cheapest = dup_cheapest (plan);
  gint64 excess = tp_test_case_cost (test, devices)
                  - tp_test_case_cost (test, cheapest);
  int n_saved = tp_test_case_count (test, cheapest)
                - tp_test_case_count (test, devices);

  tp_test_assert_checked (plan, test->graph);
  check_alone (test, plan, cheapest);
  if (plan->tie_price_ns == 0)
    {
      g_assert_cmpmem (devices, plan->n_placements, cheapest,
                       plan->n_placements);
      return;
    }
  g_assert_cmpint (n_saved, >, 0);
  g_assert_cmpint (excess, >=, 0);
  g_assert_true (is_covered (test, devices, cheapest));
  g_assert_cmpint (plan->tie_price_ns * n_saved, >=, excess);
  g_assert_true (plan->tie_price_ns == 1
                 || (plan->tie_price_ns - 1) * n_saved < excess);
}

/* Not all that are left are on one device. */
static gboolean
is_on_several (const TpPlan *plan)
{
  for (int i = 1; i < plan->n_placements; i++)
    if (plan->placements[i].device != plan->placements[0].device)
      return TRUE;
  return FALSE;
}

static void
test_ties (void)
{
  int n_ties = 0, n_between = 0;

  for (int round = 0; round < 500; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (2, 25),
                      g_test_rand_double_range (0.01, 0.5));
      g_autoptr (TpPlan) plan = place (test), again = place (test);
      g_autofree char *a = tp_plan_to_json (plan, test->graph);
      g_autofree char *b = tp_plan_to_json (again, test->graph);

      check_plan (test, plan);
      g_assert_cmpstr (a, ==, b);
      n_ties += plan->tie_price_ns > 0;
      n_between += plan->tie_price_ns > 0 && is_on_several (plan);
    }
  g_test_message ("%d ties, %d of them on several devices", n_ties, n_between);
  g_assert_cmpint (n_ties, >, 50);
  g_assert_cmpint (n_between, >, 5);
}

/* Exact figures: the bytes of the cheapest plan, which nothing but what is asked for is
 * in. */
static void
test_exact (void)
{
  for (int round = 0; round < 300; round++)
    {
      g_autoptr (TpTestCase) test = new_case (round, 25, 0);
      g_autoptr (TpPlan) plan = place (test), cheapest = NULL;
      g_autofree char *a = tp_plan_to_json (plan, test->graph);
      g_autofree char *b = NULL;

      cheapest = tp_test_place (test, "time");
      tp_plan_count_memory (cheapest, test->graph);
      b = tp_plan_to_json (cheapest, test->graph);
      g_assert_cmpstr (a, ==, b);
    }
}

/* ---- lies -------------------------------------------------------------------- */

TP_TEST_SPOIL_IF (raise_price, plan->tie_price_ns++ > 0)
TP_TEST_SPOIL_IF (lower_price, plan->tie_price_ns-- > 1)

static gboolean
forget_price (TpPlan *plan, const TpTestCase *test)
{
  gboolean is_tied = plan->tie_price_ns > 0;

  plan->tie_price_ns = 0;
  return is_tied;
}

TP_TEST_SPOIL_IF (claim_tie, plan->tie_price_ns == 0 && ++plan->tie_price_ns > 0)

/* Nothing is cheaper then. */
static gboolean
forget_cheapest (TpPlan *plan, const TpTestCase *test)
{
  for (int i = 0; i < plan->n_placements; i++)
    plan->placements[i].cheapest = plan->placements[i].device;
  return plan->tie_price_ns > 0;
}

TP_TEST_SPOIL (raise_bound, plan->bound_ns = plan->cost_ns + 1)

static const TpTestMutation mutations[] = {
  { "raise-price", raise_price },         { "lower-price", lower_price },
  { "forget-price", forget_price },       { "claim-tie", claim_tie },
  { "forget-cheapest", forget_cheapest }, { "raise-bound", raise_bound },
  { NULL, NULL },
};

static TpTestCase *
make_any (int round)
{
  return new_case (round, 20, 0.3);
}

static TpPlan *
place_any (const TpTestCase *test, int round)
{
  return place (test);
}

static const TpTestLies lies
    = { mutations, make_any, place_any, 60, 10 };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tie-several/ties", test_ties);
  g_test_add_func ("/tie-several/exact", test_exact);
  g_test_add_data_func ("/tie-several/lies", &lies, tp_test_lies_check);
  g_test_add_data_func ("/tie-several/second", &lies, tp_test_lies_check_second);
  return g_test_run ();
}
