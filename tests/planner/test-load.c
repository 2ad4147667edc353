/* test-load.c: the least load of the busiest engine, and what proves it. */
#include "config.h"

#include "place-case.h"
#include "planner/load-weights.h"
#include "planner/load.h"
#include "planner/place.h"
#include "planner/problem.h"
#include "random-graph.h"

#include <string.h>

#define MAX_ENGINES 6         /* of two devices */

/* @devices: [node] */
static TpLoadProof *
solve (const TpTestCase *test, guint8 *devices)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_autoptr (GError) error = NULL;
  TpLoadProof *proof = tp_load_solve (problem, devices, &error);

  g_assert_no_error (error);
  return proof;
}

static gint64
weigh (const gint64 *loads, const gint64 *weights)
{
  gint64 sum = 0;

  for (int e = 0; e < MAX_ENGINES; e++)
    sum += loads[e] * weights[e];
  return sum;
}

/* The least of all placements with ops where @fixed (-1: anywhere) has them: of the
 * busiest engine, of the weighted sum. */
static gint64
try_all (const TpTestCase *test, const int *fixed, const gint64 *weights,
         gint64 *out_sum)
{
  int n = test->graph->n_nodes;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);
  gint64 loads[MAX_ENGINES], best = TP_COST_NONE;

  *out_sum = TP_COST_NONE;
  for (guint mask = 0; mask < 1u << n; mask++)
    {
      gboolean is_there = TRUE;

      for (int i = 0; i < n; i++)
        {
          devices[i] = mask >> i & 1;
          is_there = is_there && (fixed[i] < 0 || fixed[i] == devices[i]);
        }
      if (!is_there || !tp_test_case_loads (test, devices, loads))
        continue;
      best = MIN (best, tp_test_find_busiest (test, loads));
      *out_sum = MIN (*out_sum, weigh (loads, weights));
    }
  return best;
}

/* Of one end of the tree. */
typedef struct
{
  const gint64 *weights;
  const gint64 *flows;
  int n_flows;
} End;

/* The flow of an end is what its best cut is worth; returns the bound that follows. */
static gint64
check_end (const TpTestCase *test, const TpProblem *problem, End end,
           const int *fixed)
{
  const gint64 *weights = end.weights;
  gint64 flow = 0, sum = 0, least, best = try_all (test, fixed, weights, &least);

  for (int i = 0; i < 2 * test->groups->n_groups; i++)
    flow -= problem->gains[i] * weights[i % 2];
  flow += tp_test_sum_flow (test, end.flows, end.n_flows);
  for (int e = 0; e < MAX_ENGINES; e++)
    {
      g_assert_cmpint (weights[e], >=, 0);
      sum += weights[e];
    }
  if (tp_costs_is_one_engine (test->costs))
    sum = 1;
  g_assert_cmpint (flow, ==, least);
  g_assert_cmpint ((flow + sum - 1) / sum, <=, best);
  return (flow + sum - 1) / sum;
}

/* Every op is fixed to both devices, and the least end is the bound. */
static void
check_proof (const TpTestCase *test, const TpLoadProof *proof)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  int fixed[16], path[16], n_path = 0, n_bounds = 0;
  int n_flows = proof->n_flows / proof->n_bounds;
  gint64 bound = proof->load_ns;

  memset (fixed, -1, sizeof fixed);
  for (int i = 0; i < proof->n_entries; i++)
    {
      End end;

      if (proof->tree[i] != TP_LOAD_END)
        {
          path[n_path++] = proof->tree[i];
          g_assert_cmpint (fixed[proof->tree[i]], ==, -1);
          fixed[proof->tree[i]] = 0;
          continue;
        }
      end = (End){ &proof->weights[n_bounds * MAX_ENGINES],
                   &proof->flows[n_bounds * n_flows], n_flows };
      bound = MIN (bound, check_end (test, problem, end, fixed));
      n_bounds++;
      while (n_path > 0 && fixed[path[n_path - 1]] == 1)
        fixed[path[--n_path]] = -1;
      if (n_path > 0)
        fixed[path[n_path - 1]] = 1;
      g_assert_true (n_path > 0 || i == proof->n_entries - 1);
    }
  g_assert_cmpint (n_path, ==, 0);
  g_assert_cmpint (n_bounds, ==, proof->n_bounds);
  g_assert_cmpint (n_bounds * n_flows, ==, proof->n_flows);
  g_assert_cmpint (bound, ==, proof->bound_ns);
}

static void
check_placement (const TpTestCase *test, const TpLoadProof *proof,
                 const guint8 *devices)
{
  gint64 loads[MAX_ENGINES], sum = 0;

  g_assert_true (tp_test_case_loads (test, devices, loads));
  g_assert_cmpint (proof->load_ns, ==, tp_test_find_busiest (test, loads));
  for (int e = 0; e < MAX_ENGINES; e++)
    {
      sum += loads[e];
      if (!tp_costs_is_one_engine (test->costs))
        g_assert_cmpint (proof->loads[e], ==, loads[e]);
    }
  if (tp_costs_is_one_engine (test->costs))
    g_assert_cmpint (proof->loads[0], ==, sum);
}

/* Every placement there is: of so few ops the tree finds the best, and proves it. */
static void
test_brute_force (gconstpointer data)
{
  gboolean is_same = GPOINTER_TO_INT (data);
  int n_rounds = is_same ? 300 : 1500, n_trees = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      TpTestSpec spec = tp_test_spec_steady (
          g_test_rand_int_range (1, round % 20 == 0 ? 13 : 9));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpLoadProof) proof = NULL;
      guint8 devices[16] = { 0 };
      int fixed[16];
      gint64 best, least;

      test->costs->is_same_silicon = is_same;
      proof = solve (test, devices);
      memset (fixed, -1, sizeof fixed);
      best = try_all (test, fixed, proof->weights, &least);
      check_placement (test, proof, devices);
      check_proof (test, proof);
      g_assert_cmpint (proof->load_ns, ==, best);
      g_assert_cmpint (proof->bound_ns, ==, best);
      n_trees += proof->n_bounds > 1;
    }
  g_test_message ("%d of %d wanted a tree", n_trees, n_rounds);
  g_assert_true (is_same || n_trees > n_rounds / 10);
}

/* Larger ones: placement and bound fit the costs, and come out the same again. */
static void
test_repeat (void)
{
  for (int round = 0; round < 20; round++)
    {
      TpTestSpec spec = tp_test_spec_steady (g_test_rand_int_range (50, 200));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      guint8 devices[256] = { 0 }, again[256] = { 0 };
      g_autoptr (TpLoadProof) first = solve (test, devices);
      g_autoptr (TpLoadProof) second = solve (test, again);

      check_placement (test, first, devices);
      g_assert_cmpint (first->bound_ns, <=, first->load_ns);
      g_assert_cmpmem (devices, sizeof devices, again, sizeof again);
      g_assert_cmpmem (first->weights, sizeof (gint64) * first->n_bounds * first->n_engines,
                       second->weights,
                       sizeof (gint64) * second->n_bounds * second->n_engines);
      g_assert_cmpmem (first->tree, sizeof (int) * first->n_entries,
                       second->tree, sizeof (int) * second->n_entries);
      g_assert_cmpint (first->bound_ns, ==, second->bound_ns);
      g_assert_cmpint (first->n_flows, ==, second->n_flows);
    }
}

static void
test_one_device (void)
{
  TpTestSpec spec = { .n_ops = 6, .n_devices = 1, .max_cost = 50 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  guint8 devices[16] = { 0 };
  g_autoptr (TpLoadProof) proof = solve (test, devices);
  gint64 loads[MAX_ENGINES] = { 0 };

  g_assert_true (tp_test_case_loads (test, devices, loads));
  g_assert_cmpint (proof->load_ns, ==, tp_test_find_busiest (test, loads));
  g_assert_cmpint (proof->bound_ns, ==, proof->load_ns);
  g_assert_cmpint (proof->n_flows, ==, 0);
}

static void
test_refused (void)
{
  TpTestSpec two = { .n_ops = 3, .max_cost = 9 };
  g_autoptr (TpTestCase) large = tp_test_case_new (&two);
  g_autoptr (TpProblem) other = NULL;
  g_autoptr (GError) error = NULL;
  guint8 devices[16] = { 0 };

  tp_costs_node (large->costs, 0, 0)->time_ns = TP_PROBLEM_LIMIT / 8;
  other = tp_test_case_problem (large);
  g_assert_null (tp_load_solve (other, devices, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

/* Plans: the checker takes them, and they do not cost less than the cheapest nor
 * carry more than what that makes its busiest engine carry. */
static void
test_plans (void)
{
  for (int round = 0; round < 300; round++)
    {
      TpTestSpec spec = tp_test_spec_steady (g_test_rand_int_range (1, 40));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL, least = NULL;
      guint8 devices[64] = { 0 };
      gint64 loads[MAX_ENGINES];

      test->costs->is_same_silicon = round % 10 == 0;
      test->costs->has_own_processors = round % 20 == 0;
      tp_costs_seal (test->costs);
      plan = tp_test_place_within_noise (test, "throughput");
      least = tp_test_place (test, "time");
      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (plan->bound_ns, ==, least->cost_ns);
      g_assert_cmpint (plan->cost_ns, >=, least->cost_ns);
      for (int i = 0; i < least->n_placements; i++)
        devices[i] = (guint8) least->placements[i].device;
      g_assert_true (tp_test_case_loads (test, devices, loads));
      g_assert_cmpint (plan->load_proof->load_ns, <=,
                       tp_test_find_busiest (test, loads));
    }
}

/* The least mean of @rows. */
static double
find_mean (const TpArray *rows, const double *weights, int n)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < rows->len; i++)
    {
      const gint64 *loads = tp_array_index (rows, TpLoadRow, i).loads;
      double mean = 0;

      for (int e = 0; e < n; e++)
        mean += weights[e] * (double) loads[e];
      least = MIN (least, mean);
    }
  return least;
}

/* Not worse than any others, and worth what is said. */
static void
check_weights (const TpArray *rows, int n)
{
  double best[MAX_ENGINES], other[MAX_ENGINES], sum = 0;
  double value = tp_load_find_weights (rows, n, best);

  g_assert_cmpfloat_with_epsilon (find_mean (rows, best, n), value, 1e-3);
  for (int e = 0; e < n; e++)
    {
      g_assert_cmpfloat (best[e], >=, 0);
      sum += best[e];
    }
  g_assert_cmpfloat_with_epsilon (sum, 1, 1e-9);
  for (int i = 0; i < 200; i++)
    {
      sum = 0;
      for (int e = 0; e < n; e++)
        sum += other[e] = i < n ? i == e : g_test_rand_double_range (0, 1);
      for (int e = 0; e < n; e++)
        other[e] /= sum;
      g_assert_cmpfloat (find_mean (rows, other, n), <=, value + 1e-3);
      for (int e = 0; e < n; e++)
        other[e] = best[e] + (other[e] - best[e]) / 64;
      g_assert_cmpfloat (find_mean (rows, other, n), <=, value + 1e-3);
    }
}

static void
test_weights (void)
{
  for (int round = 0; round < 300; round++)
    {
      g_autoptr (TpArray) rows = tp_array_new (sizeof (TpLoadRow));
      int n = g_test_rand_int_range (1, MAX_ENGINES + 1);
      int n_rows = g_test_rand_int_range (1, 50);
      int most = round % 3 == 0 ? 3 : 1000000;

      for (int i = 0; i < n_rows; i++)
        {
          TpLoadRow row = { { 0 } };

          for (int e = 0; e < n; e++)
            row.loads[e] = g_test_rand_int_range (0, most);
          tp_array_append_val (rows, row);
        }
      check_weights (rows, n);
    }
}

/* With what to do. */
static void
test_no_limits (void)
{
  TpTestSpec spec = { .n_ops = 12, .max_cost = 9 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const gint64 limits[] = { 1, 1 };
  const TpPlaceOptions options
      = { .objective = "throughput", .limits = limits };
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_place_with (test->graph, test->groups, test->costs,
                                &options, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
  g_assert_nonnull (strstr (error->message, "allow more"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/load/brute-force", GINT_TO_POINTER (FALSE),
                        test_brute_force);
  g_test_add_data_func ("/load/same-silicon", GINT_TO_POINTER (TRUE),
                        test_brute_force);
  g_test_add_func ("/load/weights", test_weights);
  g_test_add_func ("/load/repeat", test_repeat);
  g_test_add_func ("/load/one-device", test_one_device);
  g_test_add_func ("/load/refused", test_refused);
  g_test_add_func ("/load/plans", test_plans);
  g_test_add_func ("/load/no-limits", test_no_limits);
  return g_test_run ();
}
