/* test-pool-several.c: what fits where some of three devices and more share memory: no bound
 * is above the least of all placements, and bounds that know of it are higher than those for
 * which each device has all of it; what they say, spoilt. */
#include "config.h"

#include "ir/plan-memory.h"
#include "lies.h"
#include "memory-case.h"
#include "planner/check/check-room.h"
#include "planner/limit-pool.h"
#include "planner/place.h"
#include "rounds.h"

#include <string.h>

#define ROUNDS 24
#define MAX_OPS 6
#define N_LIMITS (2 * TP_TEST_MAX_DEVICES)

/* ---- prices --------------------------------------------------------------- */

/* The most for @prices, of all bytes that there may be: of each device no more than its
 * limit, of the first @n together no more than @pool, if that is above 0. */
static gint64
try_all_bytes (const gint64 *prices, const gint64 *limits, int n, gint64 pool)
{
  gint64 most = 0;

  for (gint64 a = 0; a <= limits[0]; a++)
    for (gint64 b = 0; b <= limits[1]; b++)
      for (gint64 c = 0; c <= limits[2]; c++)
        if (pool == 0 || a + b + (n > 2 ? c : 0) <= pool)
          most = MAX (most, prices[0] * a + prices[1] * b + prices[2] * c);
  return most;
}

/* Both ways of finding out what prices come to at most. */
static void
test_most (void)
{
  g_autoptr (TpTestCase) test = tp_memory_case_new_for (3, 3);

  for (int round = 0; round < 400; round++)
    {
      gint64 limits[4], prices[3], bytes[3], sum = 0;
      TpCheckerBytes same[3], apart = 0;
      TpProblem problem = { .costs = test->costs, .limits = limits };
      int n = 2 + round % 2;

      for (int d = 0; d < 3; d++)
        {
          limits[d] = g_test_rand_int_range (1, 8);
          prices[d] = same[d] = g_test_rand_int_range (0, 6);
          g_free (test->costs->pools[d]);
          test->costs->pools[d] = d < n ? g_strdup ("host") : NULL;
        }
      limits[3] = g_test_rand_int_range (0, 16);
      tp_limit_fill_dearest (&problem, prices, bytes);
      for (int d = 0; d < 3; d++)
        {
          g_assert_cmpint (bytes[d], <=, limits[d]);
          sum += prices[d] * bytes[d];
          if (!tp_checker_shares_room (test->costs, limits, d))
            apart += same[d] * limits[d];
        }
      g_assert_cmpint (sum, ==, try_all_bytes (prices, limits, n, limits[3]));
      g_assert_cmpint (
          (gint64) (apart + tp_checker_pay_shared (test->costs, limits, same)),
          ==, sum);
    }
}

/* ---- all placements --------------------------------------------------------- */

static gboolean
fits (const TpTestCase *test, const guint8 *devices, const gint64 *limits)
{
  gint64 bytes[TP_TEST_MAX_DEVICES];
  TpCheckerBytes wide[TP_TEST_MAX_DEVICES];

  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < test->costs->n_devices; d++)
    wide[d] = bytes[d];
  return tp_checker_is_within (test->costs, limits, wide);
}

static gint64
find_value (const TpTestCase *test, const guint8 *devices, gboolean is_load)
{
  gint64 loads[3 * TP_TEST_MAX_DEVICES], most = 0;

  if (!is_load)
    return tp_test_case_cost (test, devices);
  if (!tp_test_case_loads (test, devices, loads))
    return TP_COST_NONE;
  for (int e = 0; e < 3 * test->costs->n_devices; e++)
    most = MAX (most, loads[e]);
  return most;
}

/* Of all that fits; TP_COST_NONE: nothing does. */
static gint64
find_least (const TpTestCase *test, const gint64 *limits, gboolean is_load)
{
  int n = test->graph->n_nodes, k = test->costs->n_devices;
  guint8 devices[16] = { 0 };
  gint64 least = TP_COST_NONE;

  for (int i = 0; i < n;)
    {
      gint64 value = find_value (test, devices, is_load);

      if (value < least && fits (test, devices, limits))
        least = value;
      for (i = 0; i < n && ++devices[i] == k; i++)
        devices[i] = 0;
    }
  return least;
}

static TpPlan *
place (const TpTestCase *test, gboolean is_load, const gint64 *limits)
{
  const TpPlaceOptions options = { .objective = is_load ? "throughput" : "time",
                                   .limits = limits,
                                   .n_cuts = TP_MEMORY_CASE_CUTS };

  return tp_place_with (test->graph, test->groups, test->costs, &options,
                        NULL);
}

static gint64
get_bound (const TpPlan *plan, gboolean is_load)
{
  return is_load ? tp_load_proof_get_bound (plan->load_proof)
                 : tp_plan_get_fit_bound_ns (plan);
}

/* Some devices share so much of what the cheapest takes of them; now and then one of
 * them has less for itself. */
static void
draw_pool (const TpTestCase *test, gint64 *limits)
{
  g_autoptr (TpPlan) cheapest = place (test, FALSE, NULL);
  g_autofree guint8 *devices = tp_test_plan_devices (cheapest);
  int k = test->costs->n_devices, n = g_test_rand_int_range (2, k + 1);
  gint64 bytes[TP_TEST_MAX_DEVICES], sum = 0;

  memset (limits, 0, sizeof (gint64) * N_LIMITS);
  tp_memory_case_count (test, devices, bytes);
  for (int d = k - n; d < k; d++)
    {
      test->costs->pools[d] = g_strdup ("host");
      sum += bytes[d];
    }
  limits[k] = MAX (1, sum * g_test_rand_int_range (50, 100) / 100);
  if (g_test_rand_int_range (0, 3) == 0)
    limits[k - 1] = MAX (1, bytes[k - 1] * g_test_rand_int_range (50, 100) / 100);
}

/* As if each device that shares memory had all of it. */
static gint64
find_bound_apart (const TpTestCase *test, const gint64 *limits,
                  gboolean is_load)
{
  gint64 apart[TP_TEST_MAX_DEVICES];
  char *pools[TP_TEST_MAX_DEVICES];
  int k = test->costs->n_devices;
  g_autoptr (TpPlan) plan = NULL;

  for (int d = 0; d < k; d++)
    {
      apart[d] = limits[d] > 0                  ? limits[d]
                 : test->costs->pools[d] != NULL ? limits[k]
                                                 : 0;
      pools[d] = g_steal_pointer (&test->costs->pools[d]);
    }
  plan = place (test, is_load, apart);
  for (int d = 0; d < k; d++)
    test->costs->pools[d] = pools[d];
  return get_bound (plan, is_load);
}

typedef struct
{
  int n_bound, n_proved;
  double together, apart;     /* sums of parts of the least that are proved */
} Found;

static void
check_pool (const TpTestCase *test, const gint64 *limits, gboolean is_load,
            Found *found)
{
  g_autoptr (TpPlan) plan = place (test, is_load, limits);
  gint64 least = find_least (test, limits, is_load);
  g_autofree guint8 *devices = NULL;

  if (plan == NULL)
    return;
  devices = tp_test_plan_devices (plan);
  g_assert_true (fits (test, devices, limits));
  g_assert_cmpint (least, <=, find_value (test, devices, is_load));
  g_assert_cmpint (get_bound (plan, is_load), <=, least);
  tp_test_assert_checked (plan, test->graph);
  if (plan->memory_limits == NULL || least == 0)
    return;
  found->n_bound++;
  found->n_proved += get_bound (plan, is_load) == least;
  found->together += (double) get_bound (plan, is_load) / (double) least;
  found->apart
      += (double) find_bound_apart (test, limits, is_load) / (double) least;
}

static void
test_brute_force (gconstpointer is_load)
{
  Found found = { 0 };

  for (int round = 0; round < ROUNDS; round++)
    {
      int k = 3 + round % 3 / 2;
      g_autoptr (TpTestCase) test = tp_memory_case_new_for (
          k, g_test_rand_int_range (3, k == 3 ? MAX_OPS + 1 : MAX_OPS));
      gint64 limits[N_LIMITS];

      draw_pool (test, limits);
      check_pool (test, limits, is_load != NULL, &found);
    }
  g_test_message ("%d limits bind: %d least are proved; %.2f %% of the least, "
                  "%.2f %% as if each had all", found.n_bound, found.n_proved,
                  100 * found.together / MAX (found.n_bound, 1),
                  100 * found.apart / MAX (found.n_bound, 1));
  g_assert_cmpint (found.n_bound, >=, ROUNDS / 4);
  g_assert_cmpfloat (found.together, >, found.apart);
}

/* ---- lies ------------------------------------------------------------------- */

static TpTestCase *
make_shared (int round)
{
  TpTestCase *test = tp_memory_case_new_for (3 + round % 2, 6);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  for (int d = 1; d < 3; d++)
    test->costs->pools[d] = g_strdup ("host");
  return test;
}

/* What both take, by the plan. */
static gint64
count_bytes (const TpPlan *plan)
{
  gint64 sum = 0;

  for (int d = 1; d < 3; d++)
    sum += plan->peak_bytes[d] + plan->weight_bytes[d];
  return sum;
}

/* NULL: the limit does not bind, or nothing is known of what fits. */
static TpPlan *
place_shared (const TpTestCase *test, int round)
{
  g_autoptr (TpPlan) cheapest = place (test, FALSE, NULL), plan = NULL;
  gint64 limits[N_LIMITS] = { 0 };

  tp_plan_count_memory (cheapest, test->graph);
  limits[test->costs->n_devices]
      = count_bytes (cheapest) * g_test_rand_int_range (60, 95) / 100;
  plan = place (test, FALSE, limits);
  if (plan == NULL || plan->share_proof->room == NULL)
    return NULL;
  tp_plan_count_memory (plan, test->graph);
  return g_steal_pointer (&plan);
}

static gint64 *
get_pool (TpPlan *plan)
{
  return &plan->memory_limits[plan->n_devices];
}

static gboolean
forget_pool (TpPlan *plan, const TpTestCase *test)
{
  g_clear_pointer (&plan->costs->pools[2], g_free);
  return TRUE;
}

static gboolean
free_pool (TpPlan *plan, const TpTestCase *test)
{
  *get_pool (plan) = 0;
  return TRUE;
}

static gboolean
shrink_pool (TpPlan *plan, const TpTestCase *test)
{
  *get_pool (plan) = count_bytes (plan) - 1;
  return *get_pool (plan) > 0;
}

static gboolean
pool_below_nothing (TpPlan *plan, const TpTestCase *test)
{
  *get_pool (plan) = -1 - pick (100);
  return TRUE;
}

/* In which the cheapest fits, so that nothing is known to cost more. */
static gboolean
enlarge_pool (TpPlan *plan, const TpTestCase *test)
{
  g_autoptr (TpPlan) cheapest = place (test, FALSE, NULL);

  tp_plan_count_memory (cheapest, test->graph);
  *get_pool (plan) = count_bytes (cheapest);
  return plan->share_proof->room_ns > cheapest->cost_ns;
}

/* Which has no limit. */
static gboolean
price_outside_pool (TpPlan *plan, const TpTestCase *test)
{
  TpArray *prices = plan->share_proof->prices;

  for (guint i = 0; i < prices->len; i++)
    tp_array_index (prices, TpMemoryPrice, i).device = 0;
  return prices->len > 0;
}

static const TpTestMutation pool_mutations[] = {
  { "forget-pool", forget_pool },
  { "free-pool", free_pool },
  { "shrink-pool", shrink_pool },
  { "pool-below-nothing", pool_below_nothing },
  { "enlarge-pool", enlarge_pool },
  { "price-outside-pool", price_outside_pool },
  { NULL, NULL },
};

static const TpTestLies pool_lies
    = { pool_mutations, make_shared, place_shared, 20, 3 };
static const TpTestLies room_lies
    = { tp_test_room_mutations + TP_TEST_ROOM_APART, make_shared, place_shared, 10, 2 };

static void
test_lies (gconstpointer lies)
{
  tp_test_lies_check (lies);
}

static void
test_second (gconstpointer lies)
{
  tp_test_lies_check_second (lies);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pool-several/most", test_most);
  g_test_add_data_func ("/pool-several/time", NULL, test_brute_force);
  g_test_add_data_func ("/pool-several/throughput", "load", test_brute_force);
  g_test_add_data_func ("/pool-several/lies", &pool_lies, test_lies);
  g_test_add_data_func ("/pool-several/second", &pool_lies, test_second);
  g_test_add_data_func ("/pool-several/room-lies", &room_lies, test_lies);
  g_test_add_data_func ("/pool-several/room-second", &room_lies, test_second);
  return g_test_run ();
}
