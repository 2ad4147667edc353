/* test-rated-several.c: the least energy and the least price on three devices and more,
 * against all placements: none takes less than is proved, few less than what was found,
 * and both checkers say so. */
#include "config.h"

#include "ir/plan-memory.h"
#include "lies.h"
#include "memory-case.h"
#include "planner/check/check.h"
#include "planner/place.h"
#include "random-rates.h"

#include <string.h>

#define MAX_OPS 6

static const struct
{
  const char *objective;
  gint64 aims[TP_N_AIMS];
} objectives[] = {
  { "energy", { 0, 1, 0 } },     { "price", { 0, 0, 1 } },
  { "weighted", { 3, 2, 0 } },   { "weighted", { 50, 0, 1 } },
  { "weighted", { 1, 1, 1 } },
};

static gint64
weigh (const gint64 *totals, const gint64 *aims)
{
  gint64 sum = 0;

  for (int aim = 0; aim < TP_N_AIMS; aim++)
    sum += totals[aim] * aims[aim];
  return sum;
}

static gboolean
fits (const TpTestCase *test, const guint8 *devices, const gint64 *limits)
{
  gint64 bytes[TP_TEST_MAX_DEVICES];

  if (limits == NULL)
    return TRUE;
  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < test->costs->n_devices; d++)
    if (limits[d] != 0 && bytes[d] > limits[d])
      return FALSE;
  return TRUE;
}

/* The least of all placements that fit; @limits: (nullable). */
static gint64
try_all (const TpTestCase *test, const gint64 *aims, const gint64 *limits)
{
  int n = test->graph->n_nodes;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 totals[TP_N_AIMS], best = TP_COST_NONE;
  gboolean is_left = TRUE;

  while (is_left)
    {
      int i = 0;

      if (tp_test_case_take (test, devices, totals)
          && weigh (totals, aims) < best && fits (test, devices, limits))
        best = weigh (totals, aims);
      while (i < n && ++devices[i] == test->costs->n_devices)
        devices[i++] = 0;
      is_left = i < n;
    }
  return best;
}

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

/* @limits: (nullable). */
static TpPlan *
place (const TpTestCase *test, int round, const gint64 *limits, GError **error)
{
  gsize index = (gsize) round % G_N_ELEMENTS (objectives);
  const TpPlaceOptions options
      = { .objective = objectives[index].objective,
          .limits = limits,
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

static TpPlan *
place_free (const TpTestCase *test, int round)
{
  g_autoptr (GError) error = NULL;
  TpPlan *plan = place (test, round, NULL, &error);

  g_assert_no_error (error);
  return plan;
}

static const gint64 *
get_aims (int round)
{
  return objectives[(gsize) round % G_N_ELEMENTS (objectives)].aims;
}

static void
check_totals (const TpPlan *plan, const TpTestCase *test, const gint64 *aims)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  const TpRateProof *proof = plan->rate_proof;
  gint64 totals[TP_N_AIMS];

  tp_test_assert_checked (plan, test->graph);
  g_assert_true (tp_test_case_take (test, devices, totals));
  g_assert_cmpmem (proof->totals, sizeof totals, totals, sizeof totals);
  g_assert_cmpmem (proof->aims, sizeof proof->aims, aims, sizeof proof->aims);
  g_assert_cmpint (proof->cost, ==, weigh (totals, aims));
  g_assert_cmpint (proof->bound, <=, proof->cost);
}

static void
test_brute_force (void)
{
  int n_rounds = 1000, n_least = 0, n_proved = 0, n_divided = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (1, MAX_OPS + 1));
      g_autoptr (TpPlan) plan = place_free (test, round);
      const TpRateProof *proof = plan->rate_proof;
      gint64 least = try_all (test, get_aims (round), NULL);

      check_totals (plan, test, get_aims (round));
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
      g_autoptr (TpPlan) plan = place_free (test, round);
      g_autoptr (TpPlan) again = place_free (test, round);
      g_autofree guint8 *devices = g_new0 (guint8, plan->n_placements + 1);
      gint64 totals[TP_N_AIMS];

      check_totals (plan, test, get_aims (round));
      g_assert_cmpint (plan->rate_proof->bound, ==, again->rate_proof->bound);
      for (int i = 0; i < plan->n_placements; i++)
        g_assert_cmpint (plan->placements[i].device, ==,
                         again->placements[i].device);
      for (int d = 0; d < plan->n_devices; d++)
        {
          memset (devices, d, plan->n_placements);
          if (tp_test_case_take (test, devices, totals))
            g_assert_cmpint (plan->rate_proof->cost, <=,
                             weigh (totals, get_aims (round)));
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
      plan = place_free (test, round % 2);
      proof = plan->rate_proof;
      least = try_all (test, get_aims (round % 2), NULL);
      check_totals (plan, test, get_aims (round % 2));
      g_assert_cmpint (proof->bound, <=, least);
      g_assert_cmpfloat ((double) proof->bound, >=, 0.999 * (double) proof->cost);
      g_assert_cmpfloat ((double) proof->cost, <=, 1.001 * (double) least);
      for (guint i = 0; i < proof->ends->len; i++)
        n_coarse += ((const TpRateEnd *) proof->ends->pdata[i])->divisor > 1000;
    }
  g_assert_cmpint (n_coarse, >, 20);
}

/* ---- limits of memory ------------------------------------------------------- */

/* What runs on @device counts nothing. */
static void
make_free (const TpTestCase *test, int device)
{
  for (int d = 0; d < test->costs->n_devices; d++)
    {
      test->costs->rates[d].idle_mw = 0;
      test->costs->rates[d].is_per_use = TRUE;
    }
  test->costs->rates[device].busy_mw = 0;
  test->costs->rates[device].price = 0;
  tp_costs_seal (test->costs);
}

static void
test_limits (void)
{
  int n_bound = 0, n_least = 0, n_lost = 0;

  for (int round = 0; round < 150; round++)
    {
      g_autoptr (TpTestCase) test
          = tp_memory_case_new_for (3, g_test_rand_int_range (2, MAX_OPS + 1));
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 }, least;
      gint64 bytes[TP_TEST_MAX_DEVICES];
      g_autoptr (TpPlan) free = NULL, plan = NULL;
      g_autofree guint8 *devices = NULL;
      g_autoptr (GError) error = NULL;

      tp_test_case_rate (test);
      if (round % 5 == 0)
        make_free (test, round / 5 % 3);
      free = place_free (test, round);
      devices = tp_test_plan_devices (free);
      tp_memory_case_count (test, devices, bytes);
      for (int d = 1; d < 3; d++)
        limits[d] = bytes[d] * g_test_rand_int_range (10, 90) / 100 + 1;
      plan = place (test, round, limits, &error);
      least = try_all (test, get_aims (round), limits);
      n_lost += plan == NULL && least != TP_COST_NONE;
      if (plan == NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
          continue;
        }
      g_assert_true (tp_plan_fits (plan, limits));
      check_totals (plan, test, get_aims (round));
      g_assert_cmpint (plan->rate_proof->bound, <=, least);
      n_bound += plan->memory_limits != NULL;
      n_least += plan->memory_limits != NULL && plan->rate_proof->cost == least;
    }
  g_test_message ("of %d whose limits bind %d take the least that fits, %d not "
                  "found", n_bound, n_least, n_lost);
  g_assert_cmpint (n_bound, >, 50);
  g_assert_cmpint (n_least, >=, n_bound * 9 / 10);
  g_assert_cmpint (n_lost, <=, 3);
}

/* ---- lies ------------------------------------------------------------------- */

static TpRateEnd *
pick_end (const TpRateProof *proof)
{
  return proof->ends->pdata[g_test_rand_int_range (0, (int) proof->ends->len)];
}

static gboolean
raise_bound (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  proof->bound = proof->cost + 1;
  return TRUE;
}

static gboolean
lower_cost (TpPlan *plan, const TpTestCase *test)
{
  return plan->rate_proof->cost-- > 0;
}

static gboolean
lower_total (TpPlan *plan, const TpTestCase *test)
{
  return plan->rate_proof->totals[g_test_rand_int_range (0, TP_N_AIMS)]-- > 0;
}

static gboolean
drop_end (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  tp_pointers_cut (proof->ends, proof->ends->len - 1);
  return TRUE;
}

static gboolean
no_ends (TpPlan *plan, const TpTestCase *test)
{
  tp_pointers_cut (plan->rate_proof->ends, 0);
  return TRUE;
}

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

static gboolean
no_divisor (TpPlan *plan, const TpTestCase *test)
{
  pick_end (plan->rate_proof)->divisor = 0;
  return TRUE;
}

static gboolean
far_divisor (TpPlan *plan, const TpTestCase *test)
{
  TpRateProof *proof = plan->rate_proof;

  pick_end (proof)->divisor = G_GINT64_CONSTANT (1) << 40;
  return proof->bound > 0;
}

static gboolean
no_unit (TpPlan *plan, const TpTestCase *test)
{
  pick_end (plan->rate_proof)->shares->unit = 0;
  return TRUE;
}

static gboolean
no_bounds (TpPlan *plan, const TpTestCase *test)
{
  tp_pointers_cut (pick_end (plan->rate_proof)->shares->bounds, 0);
  return TRUE;
}

static gboolean
no_tree (TpPlan *plan, const TpTestCase *test)
{
  tp_array_set_size (pick_end (plan->rate_proof)->shares->entries, 0);
  return TRUE;
}

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
    = { mutations, make_any, place_free, 60, 6 };

static void
test_lies (void)
{
  tp_test_lies_check (&lies);
}

static void
test_second (void)
{
  tp_test_lies_check_second (&lies);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rated-several/brute-force", test_brute_force);
  g_test_add_func ("/rated-several/large", test_large);
  g_test_add_func ("/rated-several/coarse", test_coarse);
  g_test_add_func ("/rated-several/limits", test_limits);
  g_test_add_func ("/rated-several/lies", test_lies);
  g_test_add_func ("/rated-several/second", test_second);
  return g_test_run ();
}
