/* test-rated-several.c: the least energy and the least price on three devices and more,
 * against all placements: none takes less than is proved, few less than what was found,
 * and both checkers say so. */
#include "config.h"

#include "lies.h"
#include "random-rates.h"
#include "rated-case.h"

#include <string.h>

#define MAX_OPS TP_RATED_CASE_OPS

static TpTestCase *
new_case (int round, int n_ops)
{
  TpTestSpec spec = round % 3 == 0 ? tp_test_spec_together (n_ops)
                                   : tp_test_spec_random (n_ops);
  TpTestCase *test;

  spec.n_devices = 3 + round % 2;
  spec.host = round % 5 == 0 ? TP_COSTS_HOST : round % spec.n_devices;
  test = tp_test_case_new (&spec);
  tp_test_case_rate (test);
  return test;
}

static void
test_brute_force (void)
{
  int n_rounds = 1000, n_least = 0, n_proved = 0, n_divided = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (1, MAX_OPS + 1));
      g_autoptr (TpPlan) plan = tp_rated_case_place_free (test, round);
      const TpRateProof *proof = plan->rate_proof;
      const gint64 *aims = tp_rated_case_get_aims (round);
      gint64 least = tp_rated_case_try_all (test, aims, NULL);

      tp_rated_case_check (plan, test, aims);
      g_assert_cmpint (proof->cost, >=, least);
      g_assert_cmpint (proof->bound, <=, least);
      n_least += proof->cost == least;
      n_proved += proof->cost == proof->bound;
      n_divided += proof->ends->len > 1;
    }
  g_test_message ("%d of %d take the least, %d are proved to; %d are divided",
                  n_least, n_rounds, n_proved, n_divided);
  g_assert_cmpint (n_least, >=, n_rounds * 99 / 100);
  g_assert_cmpint (n_proved, >=, n_rounds * 95 / 100);
  g_assert_cmpint (n_divided, >=, n_rounds / 10);
}

/* Larger ones: the same every time, and no more than all on any one device. */
static void
test_large (void)
{
  for (int round = 0; round < 15; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (30, 120));
      g_autoptr (TpPlan) plan = tp_rated_case_place_free (test, round);
      g_autoptr (TpPlan) again = tp_rated_case_place_free (test, round);
      const gint64 *aims = tp_rated_case_get_aims (round);
      g_autofree guint8 *devices = g_new0 (guint8, plan->n_placements + 1);
      gint64 totals[TP_N_AIMS];

      tp_rated_case_check (plan, test, aims);
      g_assert_cmpint (plan->rate_proof->bound, ==, again->rate_proof->bound);
      for (int i = 0; i < plan->n_placements; i++)
        g_assert_cmpint (plan->placements[i].device, ==,
                         again->placements[i].device);
      for (int d = 0; d < plan->n_devices; d++)
        {
          memset (devices, d, plan->n_placements);
          if (tp_test_case_take (test, devices, totals))
            g_assert_cmpint (plan->rate_proof->cost, <=,
                             tp_rated_case_weigh (totals, aims));
        }
    }
}

/* Watts and times that make more than can be counted exactly: what is proved is a little
 * less, and no more than the least. */
static void
test_coarse (void)
{
  int n_coarse = 0;

  for (int round = 0; round < 100; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (1, MAX_OPS + 1));
      g_autoptr (TpPlan) plan = NULL;
      const TpRateProof *proof;
      const gint64 *aims;
      gint64 least;

      for (int d = 0; d < test->costs->n_devices; d++)
        {
          TpRate *it = &test->costs->rates[d];

          it->idle_mw = g_test_rand_int_range (1, 100000000);
          it->busy_mw = it->idle_mw + g_test_rand_int_range (0, 800000000);
          it->price = g_test_rand_int_range (0, 900000000);
        }
      for (int i = 0; i < test->graph->n_nodes; i++)
        for (int d = 0; d < test->costs->n_devices; d++)
          {
            TpCost *cost = tp_costs_node (test->costs, i, d);

            test->graph->nodes[i].n_costs = 0;
            if (cost->time_ns != TP_COST_NONE)
              cost->time_ns = cost->time_ns * 100000 + 1;
          }
      tp_costs_seal (test->costs);
      plan = tp_rated_case_place_free (test, round % 2);
      proof = plan->rate_proof;
      aims = tp_rated_case_get_aims (round % 2);
      least = tp_rated_case_try_all (test, aims, NULL);
      tp_rated_case_check (plan, test, aims);
      g_assert_cmpint (proof->bound, <=, least);
      g_assert_cmpfloat ((double) proof->bound, >=, 0.999 * (double) proof->cost);
      g_assert_cmpfloat ((double) proof->cost, <=, 1.001 * (double) least);
      for (guint i = 0; i < proof->ends->len; i++)
        n_coarse += ((const TpRateEnd *) proof->ends->pdata[i])->divisor > 1000;
    }
  g_assert_cmpint (n_coarse, >, 20);
}

/* ---- lies ------------------------------------------------------------------- */

static TpRateEnd *
pick_end (const TpRateProof *proof)
{
  return proof->ends->pdata[g_test_rand_int_range (0, (int) proof->ends->len)];
}

TP_TEST_SPOIL (raise_bound, plan->rate_proof->bound = plan->rate_proof->cost + 1)
TP_TEST_SPOIL_IF (lower_cost, plan->rate_proof->cost-- > 0)
TP_TEST_SPOIL_IF (lower_total,
                  plan->rate_proof->totals[pick (TP_N_AIMS)]-- > 0)
TP_TEST_SPOIL (drop_end,
               tp_pointers_cut (plan->rate_proof->ends, plan->rate_proof->ends->len - 1))
TP_TEST_SPOIL (no_ends, tp_pointers_cut (plan->rate_proof->ends, 0))

/* What is not rented counts as rented. */
static gboolean
rent_all (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  for (guint i = 0; i < proof->ends->len; i++)
    ((TpRateEnd *) proof->ends->pdata[i])->rented = 7;
  return TRUE;
}

static gboolean
without_any (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  for (guint i = 0; i < proof->ends->len; i++)
    ((TpRateEnd *) proof->ends->pdata[i])->without = 7;
  return TRUE;
}

static gboolean
rented_and_not (TpPlan *plan, const TpTestCase *test)
{
  TpRateEnd *end = pick_end (plan->rate_proof);

  end->rented |= 2;
  end->without |= 2;
  return TRUE;
}

TP_TEST_SPOIL (no_divisor, pick_end (plan->rate_proof)->divisor = 0)

static gboolean
far_divisor (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  pick_end (proof)->divisor = G_GINT64_CONSTANT (1) << 40;
  return proof->bound > 0;
}

TP_TEST_SPOIL (no_unit, pick_end (plan->rate_proof)->shares->unit = 0)
TP_TEST_SPOIL (no_bounds,
               tp_pointers_cut (pick_end (plan->rate_proof)->shares->bounds, 0))
TP_TEST_SPOIL (no_tree,
               tp_array_set_size (pick_end (plan->rate_proof)->shares->entries, 0))

static gboolean
end_twice (TpPlan *plan, const TpTestCase *test)
{
  TpArray *entries = pick_end (plan->rate_proof)->shares->entries;
  TpShareEntry last = tp_array_index (entries, TpShareEntry, entries->len - 1);

  tp_array_append_val (entries, last);
  return TRUE;
}

static gboolean
row_twice (TpPlan *plan, const TpTestCase *test)
{
  TpShareBound *bound = pick_end (plan->rate_proof)->shares->bounds->pdata[0];
  TpShareRow row;

  if (bound->rows->len == 0)
    return FALSE;
  row = tp_array_index (bound->rows, TpShareRow, 0);
  tp_array_append_val (bound->rows, row);
  return TRUE;
}

static const TpTestMutation mutations[] = {
  { "raise-bound", raise_bound },   { "lower-cost", lower_cost },
  { "lower-total", lower_total },   { "drop-end", drop_end },
  { "no-ends", no_ends },           { "rent-all", rent_all },
  { "without-any", without_any },   { "rented-and-not", rented_and_not },
  { "no-divisor", no_divisor },     { "far-divisor", far_divisor },
  { "no-unit", no_unit },           { "no-bounds", no_bounds },
  { "no-tree", no_tree },           { "end-twice", end_twice },
  { "row-twice", row_twice },
  { NULL, NULL },
};

static TpTestCase *
make_any (int round)
{
  return new_case (round, g_test_rand_int_range (1, 25));
}

static const TpTestLies lies
    = { mutations, make_any, tp_rated_case_place_free, 60, 6 };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rated-several/brute-force", test_brute_force);
  g_test_add_func ("/rated-several/large", test_large);
  g_test_add_func ("/rated-several/coarse", test_coarse);
  g_test_add_data_func ("/rated-several/lies", &lies, tp_test_lies_check);
  g_test_add_data_func ("/rated-several/second", &lies, tp_test_lies_check_second);
  return g_test_run ();
}
