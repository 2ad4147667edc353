/* test-load-several.c: the busiest engine of three devices and more, against all
 * placements: none carries less than is proved, few less than what was found, and both
 * checkers say so. */
#include "config.h"

#include "ir/plan-memory.h"
#include "lies.h"
#include "place-case.h"
#include "planner/load-anneal.h"
#include "random-graph.h"

#include <string.h>

#define MAX_OPS 6

/* The least of all placements. */
static gint64
try_all (const TpTestCase *test)
{
  int n = test->graph->n_nodes, k = test->costs->n_devices;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 loads[TP_LOAD_MAX_ENGINES], best = TP_COST_NONE;

  do
    {
      if (tp_test_case_loads (test, devices, loads))
        best = MIN (best, tp_test_find_busiest (test, loads));
    }
  while (tp_test_step_devices (devices, n, k));
  return best;
}

static TpTestCase *
new_case (int round, int n_ops)
{
  TpTestSpec spec = tp_test_spec_steady (n_ops);
  TpTestCase *test;

  spec.n_devices = 3 + round % 2;
  spec.host = round % 5 == 0 ? TP_COSTS_HOST : round % spec.n_devices;
  test = tp_test_case_new (&spec);
  test->costs->is_same_silicon = round % 10 == 0;
  test->costs->has_own_processors = round % 20 == 0;
  tp_costs_seal (test->costs);
  return test;
}

static TpPlan *
place (const TpTestCase *test)
{
  TpPlan *plan = tp_test_place_within_noise (test, "throughput");

  tp_plan_count_memory (plan, test->graph);
  return plan;
}

static void
check_loads (const TpTestCase *test, const TpPlan *plan)
{
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  gint64 loads[TP_LOAD_MAX_ENGINES];
  gboolean is_allowed = tp_test_case_loads (test, devices, loads);

  g_assert_true (is_allowed);
  g_assert_cmpint (plan->load_proof->load_ns, ==, tp_test_find_busiest (test, loads));
  g_assert_cmpint (plan->load_proof->bound_ns, <=, plan->load_proof->load_ns);
  g_assert_cmpint (plan->bound_ns, <=, plan->cost_ns);
}

static void
test_brute_force (void)
{
  int n_rounds = tp_test_count_rounds (600, 2000), n_best = 0, n_proved = 0;
  double above = 0, gap = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (1, MAX_OPS + 1));
      g_autoptr (TpPlan) plan = place (test);
      const TpLoadProof *proof = plan->load_proof;
      gint64 best = try_all (test);

      check_loads (test, plan);
      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (proof->bound_ns, <=, best);
      g_assert_cmpint (proof->load_ns, >=, best);
      n_best += proof->load_ns == best;
      n_proved += proof->load_ns == proof->bound_ns;
      above += best > 0 ? (double) (proof->load_ns - best) / best : 0;
      gap += best > 0 ? (double) (best - proof->bound_ns) / best : 0;
    }
  g_test_message ("%d of %d have the least load, others too: %.2f %% above; %d are "
                  "proved to, the bound is %.1f %% below",
                  n_best, n_rounds, 100 * above / n_rounds, n_proved,
                  100 * gap / n_rounds);
  g_assert_cmpint (n_best, >=, n_rounds * 99 / 100);
  g_assert_cmpint (n_proved, >=, n_rounds * 98 / 100);
  g_assert_cmpfloat (above / n_rounds, <=, 0.01);
}

/* Larger ones: never more than the plan cheapest for one run, the same every time. */
static void
test_large (void)
{
  int n_rounds = tp_test_count_rounds (8, 20);

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = new_case (round, g_test_rand_int_range (30, 120));
      g_autoptr (TpPlan) plan = place (test), again = place (test);
      g_autoptr (TpPlan) least = tp_test_place (test, "time");
      g_autofree guint8 *devices = tp_test_plan_devices (least);
      gint64 loads[TP_LOAD_MAX_ENGINES];
      gboolean is_allowed = tp_test_case_loads (test, devices, loads);

      check_loads (test, plan);
      tp_test_assert_checked (plan, test->graph);
      g_assert_true (is_allowed);
      g_assert_cmpint (plan->load_proof->load_ns, <=, tp_test_find_busiest (test, loads));
      g_assert_cmpint (plan->load_proof->bound_ns, ==,
                       again->load_proof->bound_ns);
      for (int i = 0; i < plan->n_placements; i++)
        g_assert_cmpint (plan->placements[i].device, ==,
                         again->placements[i].device);
    }
}

/* ---- lies --------------------------------------------------------------------- */

TP_TEST_SPOIL_IF (lower_load, plan->load_proof->load_ns-- > 0)

static gboolean
lower_one (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;
  int e = g_test_rand_int_range (0, proof->n_engines);

  return proof->loads[e]-- > 0;
}

TP_TEST_SPOIL (bound_above_load,
               plan->load_proof->bound_ns = plan->load_proof->load_ns + 1)
TP_TEST_SPOIL (negative_weight,
               plan->load_proof->weights[pick (plan->load_proof->n_engines)] = -1)
TP_TEST_SPOIL (no_weights,
               memset (plan->load_proof->weights, 0,
                       sizeof (gint64) * plan->load_proof->n_engines))
TP_TEST_SPOIL (no_unit, plan->load_proof->share_units[0] = 0)

static TpShareBound *
get_rows (const TpLoadProof *proof)
{
  return proof->shares->pdata[0];
}

/* What all shares come to is no more than there is. */
static gboolean
more_than_all (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->bound_ns < 2 || proof->share_units[0] > 1 << 10
      || get_rows (proof)->rows->len == 0)
    return FALSE;
  for (guint i = 0; i < get_rows (proof)->amounts->len; i++)
    {
      gint64 *amount
          = &tp_array_index (get_rows (proof)->amounts, gint64, i);

      *amount = MIN (*amount, G_MAXINT64 >> 30) << 30;
    }
  return TRUE;
}

static gboolean
row_of_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (get_rows (proof)->rows->len == 0)
    return FALSE;
  tp_array_index (get_rows (proof)->rows, TpShareRow, 0).index = 1 << 20;
  return TRUE;
}

static gboolean
row_twice (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;
  TpShareRow row;

  if (get_rows (proof)->rows->len == 0)
    return FALSE;
  row = tp_array_index (get_rows (proof)->rows, TpShareRow, 0);
  tp_array_append_val (get_rows (proof)->rows, row);
  return TRUE;
}

TP_TEST_SPOIL (no_tree, plan->load_proof->n_entries = 0)

static gboolean
end_too_soon (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_entries == 1)
    return FALSE;
  proof->tree[0] = TP_LOAD_END;
  return TRUE;
}

static gboolean
fix_twice (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_entries < 3 || proof->tree[1] == TP_LOAD_END)
    return FALSE;
  proof->tree[1] = proof->tree[0];
  return TRUE;
}

static gboolean
fix_nothing (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_entries == 1)
    return FALSE;
  proof->tree[0] = 1 << 20;
  return TRUE;
}

static gboolean
drop_end (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  if (proof->n_bounds == 1)
    return FALSE;
  proof->n_bounds--;
  return TRUE;
}

TP_TEST_SPOIL_IF (lower_bound, plan->load_proof->bound_ns-- > 0)
TP_TEST_SPOIL (drop_shares, g_clear_pointer (&plan->load_proof->shares, tp_pointers_free))

static const TpTestMutation mutations[] = {
  { "lower-load", lower_load },       { "lower-one", lower_one },
  { "above-load", bound_above_load }, { "negative-weight", negative_weight },
  { "no-weights", no_weights },       { "no-unit", no_unit },
  { "more-than-all", more_than_all },    { "of-nothing", row_of_nothing },
  { "twice", row_twice },             { "no-tree", no_tree },
  { "end-too-soon", end_too_soon },   { "fix-twice", fix_twice },
  { "fix-nothing", fix_nothing },     { "drop-end", drop_end },
  { "lower-bound", lower_bound },     { "no-shares", drop_shares },
  { NULL, NULL },
};

static TpTestCase *
make_any (int round)
{
  return new_case (round, g_test_rand_int_range (1, 25));
}

static TpPlan *
place_any (const TpTestCase *test, int round)
{
  return place (test);
}

static const TpTestLies lies
    = { mutations, make_any, place_any, 60, 6 };

/* ---- by way of what is worse ------------------------------------------------ */

static gint64
anneal (TpLoadModel *model, guint8 *devices, gint64 *loads)
{
  TpLoadBest best = { .model = model, .devices = devices, .loads = loads };

  tp_load_best_anneal (&best);
  return loads[tp_load_model_find_busiest (model, loads)];
}

/* From where no move gains: never more, now and then less; what it says is so, the same
 * every time. */
static void
test_anneal (void)
{
  int n_rounds = tp_test_count_rounds (20, 60), n_less = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test = new_case (round, 30);
      g_autoptr (TpProblem) problem = tp_problem_new (
          test->graph, test->groups, test->costs, "throughput", NULL);
      g_auto (TpLoadModel) model = { 0 };
      guint8 devices[2][30];
      gint64 loads[2][TP_LOAD_MAX_ENGINES], before, after;
      TpLoadBest best = { .model = &model, .devices = devices[0],
                          .loads = loads[0], .work_left = 1 << 20 };

      tp_load_model_init (&model, problem);
      tp_problem_gather (problem, round % problem->n_devices, devices[0]);
      tp_load_model_sum (&model, devices[0], loads[0]);
      tp_load_best_improve (&best);
      before = tp_test_find_busiest (test, loads[0]);
      memcpy (devices[1], devices[0], sizeof devices[0]);
      memcpy (loads[1], loads[0], sizeof loads[0]);
      after = anneal (&model, devices[0], loads[0]);
      anneal (&model, devices[1], loads[1]);
      g_assert_cmpmem (devices[0], sizeof devices[0], devices[1],
                       sizeof devices[1]);
      g_assert_true (tp_test_case_loads (test, devices[0], loads[1]));
      g_assert_cmpint (after, ==, tp_test_find_busiest (test, loads[1]));
      g_assert_cmpint (after, <=, before);
      n_less += after < before;
    }
  g_test_message ("of %d, %d carry less than what moves find", n_rounds, n_less);
  g_assert_cmpint (n_less, >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load-several/brute-force", test_brute_force);
  g_test_add_func ("/load-several/large", test_large);
  g_test_add_func ("/load-several/anneal", test_anneal);
  g_test_add_data_func ("/load-several/lies", &lies, tp_test_lies_check);
  g_test_add_data_func ("/load-several/second", &lies, tp_test_lies_check_second);
  return g_test_run ();
}
