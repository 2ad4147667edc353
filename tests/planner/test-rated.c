/* test-rated.c: the least energy and the least price, and what proves them. */
#include "config.h"

#include "ir/rate-text.h"
#include "memory-case.h"
#include "planner/place.h"
#include "random-graph.h"
#include "random-rates.h"

#include <string.h>

#define MAX_ENGINES TP_RATES_MAX_ENGINES

static gint64
weigh (const gint64 *totals, const gint64 *aims)
{
  gint64 sum = 0;

  for (int aim = 0; aim < TP_N_AIMS; aim++)
    sum += totals[aim] * aims[aim];
  return sum;
}

/* The least of all placements. */
static gint64
try_all (const TpTestCase *test, const gint64 *aims)
{
  int n = test->graph->n_nodes;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);
  gint64 totals[TP_N_AIMS], best = TP_COST_NONE;

  for (guint mask = 0; mask < 1u << n; mask++)
    {
      for (int i = 0; i < n; i++)
        devices[i] = mask >> i & 1;
      if (test->costs->n_devices == 1 && mask > 0)
        break;
      if (tp_test_case_take (test, devices, totals))
        best = MIN (best, weigh (totals, aims));
    }
  return best;
}

static void
check_plan (const TpPlan *plan, const TpTestCase *test, const gint64 *aims)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  const TpRateProof *proof = plan->rate_proof;
  gint64 totals[TP_N_AIMS];

  tp_test_assert_checked (plan, test->graph);
  g_assert_true (tp_test_case_take (test, devices, totals));
  for (int aim = 0; aim < TP_N_AIMS; aim++)
    {
      g_assert_cmpint (proof->totals[aim], ==, totals[aim]);
      g_assert_cmpint (proof->aims[aim], ==, aims[aim]);
    }
  g_assert_cmpint (plan->cost_ns, ==, totals[TP_AIM_TIME]);
  g_assert_cmpint (proof->cost, ==, weigh (totals, aims));
  g_assert_cmpint (proof->bound, ==, proof->cost);
}

static const struct
{
  const char *objective;
  gint64 aims[TP_N_AIMS];
} objectives[] = {
  { "energy", { 0, 1, 0 } },
  { "price", { 0, 0, 1 } },
  { "weighted", { 3, 2, 0 } },
  { "weighted", { 50, 0, 1 } },
  { "weighted", { 1, 1, 1 } },
};

static TpPlan *
place (const TpTestCase *test, gsize index, GError **error)
{
  const TpPlaceOptions options
      = { .objective = objectives[index].objective,
          .heeds_noise = TRUE,
          .aims = strcmp (objectives[index].objective, "weighted") == 0
                      ? objectives[index].aims
                      : NULL };

  return tp_place_with (test->graph, test->groups, test->costs, &options,
                        error);
}

static void
test_brute_force (void)
{
  for (int round = 0; round < 3000; round++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 10));
      gsize index = (gsize) round % G_N_ELEMENTS (objectives);
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPlan) plan = NULL;
      g_autoptr (GError) error = NULL;

      spec.n_devices = round % 9 == 0 ? 1 : 2;
      if (spec.n_devices == 1)
        spec.host = spec.has_pins = spec.has_gaps = 0;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      plan = place (test, index, &error);
      g_assert_no_error (error);
      check_plan (plan, test, objectives[index].aims);
      g_assert_cmpint (plan->rate_proof->cost, ==,
                       try_all (test, objectives[index].aims));
    }
}

/* What is to be together is. */
static void
test_together (void)
{
  for (int round = 0; round < 300; round++)
    {
      TpTestSpec spec = tp_test_spec_together (g_test_rand_int_range (2, 9));
      gsize index = (gsize) round % G_N_ELEMENTS (objectives);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;

      tp_test_case_rate (test);
      plan = place (test, index, NULL);
      check_plan (plan, test, objectives[index].aims);
      g_assert_cmpint (plan->rate_proof->cost, ==,
                       try_all (test, objectives[index].aims));
    }
}

/* ---- limits of memory ------------------------------------------------------ */

static TpPlan *
place_within (const TpTestCase *test, gsize index, const gint64 *limits,
              GError **error)
{
  const TpPlaceOptions options
      = { .objective = objectives[index].objective,
          .limits = limits,
          .aims = strcmp (objectives[index].objective, "weighted") == 0
                      ? objectives[index].aims
                      : NULL };

  return tp_place_with (test->graph, test->groups, test->costs, &options,
                        error);
}

/* The least of all placements on two devices that take no more of the second. */
static gint64
try_fitting (const TpTestCase *test, const gint64 *aims, gint64 limit)
{
  int n = test->graph->n_nodes;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);
  gint64 best = TP_COST_NONE;

  for (guint mask = 0; mask < 1u << n; mask++)
    {
      gint64 totals[TP_N_AIMS], bytes[2];

      for (int i = 0; i < n; i++)
        devices[i] = mask >> i & 1;
      if (!tp_test_case_take (test, devices, totals)
          || weigh (totals, aims) >= best)
        continue;
      tp_memory_case_count (test, devices, bytes);
      if (bytes[1] <= limit)
        best = weigh (totals, aims);
    }
  return best;
}

/* Half of what the least takes of the second device. */
static gint64
choose_limit (const TpTestCase *test, gsize index)
{
  g_autoptr (TpPlan) plan = place (test, index, NULL);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  gint64 bytes[2];

  tp_memory_case_count (test, devices, bytes);
  return bytes[1] / 2;
}

/* Kernels on @device take nothing. */
static void
make_free (const TpTestCase *test, int device)
{
  for (int d = 0; d < 2; d++)
    {
      test->costs->rates[d].idle_mw = 0;
      test->costs->rates[d].is_per_use = TRUE;
    }
  test->costs->rates[device].busy_mw = 0;
  test->costs->rates[device].price = 0;
  tp_costs_seal (test->costs);
}

/* What fits and takes least, wherever that is; what is proved is of all. */
static void
test_limits (void)
{
  int n_bound = 0, n_proved = 0;

  for (int round = 0; round < 300; round++)
    {
      gsize index = (gsize) round % G_N_ELEMENTS (objectives);
      const gint64 *aims = objectives[index].aims;
      int n_ops = g_test_rand_int_range (2, 9);
      g_autoptr (TpTestCase) test
          = g_test_rand_bit () ? tp_memory_case_new (n_ops)
                               : tp_memory_case_new_together (2, n_ops);
      gint64 limits[3] = { 0 }, least;
      g_autoptr (TpPlan) plan = NULL;
      g_autoptr (GError) error = NULL;

      tp_test_case_rate (test);
      if (round % 5 == 0)
        make_free (test, round / 5 % 2);
      limits[1] = choose_limit (test, index);
      if (limits[1] == 0)
        continue;
      plan = place_within (test, index, limits, &error);
      least = try_fitting (test, aims, limits[1]);
      g_assert_cmpint (plan == NULL, ==, least == TP_COST_NONE);
      if (plan == NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
          continue;
        }
      n_bound++;
      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (plan->rate_proof->cost, ==, least);
      g_assert_cmpint (plan->rate_proof->bound, ==, try_all (test, aims));
      if (plan->rate_proof->room == NULL)
        continue;
      g_assert_cmpint (plan->rate_proof->room->bound_ns, <=, least);
      n_proved += plan->rate_proof->room->bound_ns == least;
    }
  g_test_message ("%d of %d are proved", n_proved, n_bound);
  g_assert_cmpint (n_bound, >, 100);
  g_assert_cmpint (n_proved, >, n_bound / 2);
}

/* With nothing but waiting to pay for, time is what counts: the same plan. */
static void
test_idle_is_time (void)
{
  for (int round = 0; round < 100; round++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 30));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;

      test->costs->rates = g_new0 (TpRate, 3);
      for (int d = 0; d < 2; d++)
        test->costs->rates[d]
            = (TpRate){ .busy_mw = 7, .idle_mw = 7, .price = TP_RATE_NONE };
      tp_costs_seal (test->costs);
      plan = place (test, 0, NULL);
      g_assert_cmpint (plan->cost_ns, ==, plan->bound_ns);
      g_assert_cmpint (plan->rate_proof->cost, ==, 14 * plan->cost_ns);
      g_assert_cmpint (plan->rate_proof->totals[TP_AIM_PRICE], ==, -1);
    }
}

static void
assert_refused (const TpTestCase *test, gsize index, int code,
                const char *word)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = place (test, index, &error);

  g_assert_null (plan);
  g_assert_error (error, TPLAN_ERROR, code);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_refused (void)
{
  TpTestSpec two = { .n_ops = 3, .max_cost = 9 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&two);

  assert_refused (test, 0, TPLAN_ERROR_USAGE, "--watts");
  assert_refused (test, 1, TPLAN_ERROR_USAGE, "--price");
  tp_test_case_rate (test);
  test->costs->rates[1].busy_mw = TP_RATE_NONE;
  assert_refused (test, 0, TPLAN_ERROR_USAGE, test->costs->devices[1]);
  test->costs->rates[1].busy_mw = TP_RATE_MAX;
  tp_costs_node (test->costs, 0, 0)->time_ns = G_GINT64_CONSTANT (1) << 40;
  assert_refused (test, 0, TPLAN_ERROR_LIMIT, "2^62");
}

/* Of up to @most, small ones as often as large ones. */
static gint64
draw_amount (gint64 most)
{
  return g_test_rand_int_range (0, (gint32) most + 1)
         >> g_test_rand_int_range (0, 30);
}

/* What is written is read back. */
static void
test_text (void)
{
  for (int i = 0; i < 10000; i++)
    {
      gint64 busy = draw_amount (TP_RATE_MAX);
      TpRate rate = { .busy_mw = busy, .idle_mw = draw_amount (busy),
                      .copy_mw = draw_amount (TP_RATE_MAX),
                      .price = draw_amount (TP_RATE_MAX),
                      .is_per_use = g_test_rand_bit () != 0 };
      g_autofree char *watts = tp_rate_format_watts (&rate);
      g_autofree char *price = tp_rate_format_price (&rate);
      TpRate again;

      tp_rate_init (&again);
      g_assert_null (tp_rate_format_watts (&again));
      g_assert_null (tp_rate_format_price (&again));
      g_assert_true (tp_rate_parse_watts (watts, &again));
      g_assert_true (tp_rate_parse_price (price, &again));
      g_assert_cmpint (again.busy_mw, ==, rate.busy_mw);
      g_assert_cmpint (again.idle_mw, ==, rate.idle_mw);
      g_assert_cmpint (again.copy_mw, ==, rate.copy_mw);
      g_assert_cmpint (again.price, ==, rate.price);
      g_assert_cmpint (again.is_per_use, ==, rate.is_per_use);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rated/limits", test_limits);
  g_test_add_func ("/rated/brute-force", test_brute_force);
  g_test_add_func ("/rated/together", test_together);
  g_test_add_func ("/rated/idle-is-time", test_idle_is_time);
  g_test_add_func ("/rated/refused", test_refused);
  g_test_add_func ("/rated/text", test_text);
  return g_test_run ();
}
