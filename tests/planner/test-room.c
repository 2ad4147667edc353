/* test-room.c: placements on several devices, and for throughput and makespan, within
 * limits of memory, against all placements there are. */
#include "config.h"

#include "chain-case.h"
#include "lies.h"
#include "memory-case.h"
#include "mutations.h"

#include "ir/plan-memory.h"
#include "place-case.h"
#include "planner/check/check.h"
#include "planner/place.h"
#include "planner/span-room.h"

#include <string.h>

#define MAX_OPS 8
#define ROUNDS 150

static gboolean
fits (const TpTestCase *test, const gint64 *bytes, const gint64 *limits)
{
  gint64 both = 0;

  for (int d = 0; d < test->costs->n_devices; d++)
    if (limits[d] > 0 && bytes[d] > limits[d])
      return FALSE;
  if (test->costs->pools[1] == NULL)
    return TRUE;
  both = bytes[1] + bytes[2];
  return limits[test->costs->n_devices] == 0
         || both <= limits[test->costs->n_devices];
}

/* What the cheapest of all placements within @limits costs; TP_COST_NONE: there is
 * none. */
static gint64
find_least (const TpTestCase *test, const gint64 *limits)
{
  int n = test->graph->n_nodes, k = test->costs->n_devices;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 least = TP_COST_NONE;

  do
    {
      gint64 cost = tp_test_case_cost (test, devices);
      gint64 bytes[TP_TEST_MAX_DEVICES];

      if (cost < least)
        {
          tp_memory_case_count (test, devices, bytes);
          if (fits (test, bytes, limits))
            least = cost;
        }
    }
  while (tp_test_step_devices (devices, n, k));
  return least;
}

/* A part of what the cheapest takes on a device, or on all; or of what two of them
 * take together. */
static void
draw_limits (TpTestCase *test, gint64 *limits)
{
  g_autoptr (TpPlan) plan = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  gint64 bytes[TP_TEST_MAX_DEVICES];
  int k = test->costs->n_devices, kind = g_test_rand_int_range (0, 3);
  int part = g_test_rand_int_range (30, 95);

  memset (limits, 0, sizeof (gint64) * (TP_TEST_MAX_DEVICES + 1));
  tp_memory_case_count (test, devices, bytes);
  for (int d = 0; d < k && kind < 2; d++)
    if (bytes[d] > 0 && (kind == 0 || d == k - 1))
      limits[d] = MAX (bytes[d] * part / 100, 1);
  if (kind < 2)
    return;
  for (int d = 1; d < 3; d++)
    test->costs->pools[d] = g_strdup ("host");
  limits[k] = MAX ((bytes[1] + bytes[2]) * part / 100, 1);
}

typedef struct
{
  int n_bound, n_least, n_lost, n_proved;
  double excess;
} Found;

/* A plan whose @value is to be @least; of those whose limits bind. */
static void
count (Found *found, const TpPlan *plan, gint64 value, gint64 least)
{
  g_assert_cmpint (least, !=, TP_COST_NONE);
  g_assert_cmpint (value, >=, least);
  if (plan->memory_limits == NULL)
    return;
  found->n_bound++;
  found->n_least += value == least;
  found->excess += (double) (value - least) / (double) least;
}

static void
judge (const Found *found)
{
  g_test_message ("%d of %d limits bind: %d least, %d proved so, %.2f %% more in "
                  "the mean; %d not found", found->n_bound, ROUNDS,
                  found->n_least, found->n_proved,
                  100 * found->excess / MAX (found->n_bound, 1),
                  found->n_lost);
  g_assert_cmpint (found->n_bound, >=, ROUNDS / 4);
  g_assert_cmpint (4 * found->n_least, >=, 3 * found->n_bound);
  g_assert_cmpfloat (found->excess, <=, 0.04 * found->n_bound);
  g_assert_cmpint (found->n_lost, <=, ROUNDS / 50);
}

/* Of all, whether it fits or not. */
static void
check_cheapest (const TpPlan *plan, const TpTestCase *test)
{
  g_autoptr (TpPlan) free_plan = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);

  for (int i = 0; i < plan->n_placements; i++)
    devices[plan->placements[i].node] = (guint8) plan->placements[i].cheapest;
  g_assert_cmpint (tp_test_case_cost (test, devices), ==, free_plan->cost_ns);
}

static void
check_limits (const TpTestCase *test, const gint64 *limits, Found *found)
{
  g_autoptr (TpPlan) plan = tp_memory_case_place (test, limits, 0);
  gint64 least = find_least (test, limits), bytes[TP_TEST_MAX_DEVICES];
  g_autofree guint8 *devices = NULL;

  found->n_lost += plan == NULL && least != TP_COST_NONE;
  if (plan == NULL)
    return;
  check_cheapest (plan, test);
  devices = tp_test_plan_devices (plan);
  tp_memory_case_count (test, devices, bytes);
  g_assert_true (fits (test, bytes, limits));
  g_assert_cmpint (plan->cost_ns, ==, tp_test_case_cost (test, devices));
  g_assert_cmpint (plan->bound_ns, <=, least);
  g_assert_cmpint (tp_plan_get_fit_bound_ns (plan), <=, least);
  found->n_proved += tp_plan_get_fit_bound_ns (plan) == plan->cost_ns
                     && plan->memory_limits != NULL;
  tp_test_assert_checked (plan, test->graph);
  count (found, plan, plan->cost_ns, least);
}

static void
test_brute_force (gconstpointer n_devices)
{
  int k = GPOINTER_TO_INT (n_devices);
  Found found = { 0 };

  for (int round = 0; round < ROUNDS; round++)
    {
      int n_ops = g_test_rand_int_range (2, k == 3 ? MAX_OPS + 1 : 7);
      g_autoptr (TpTestCase) test
          = round % 3 == 0   ? tp_memory_case_new_together (k, n_ops)
            : round % 3 == 1 ? tp_memory_case_new_claimed (k, n_ops)
                             : tp_memory_case_new_for (k, n_ops);
      gint64 limits[TP_TEST_MAX_DEVICES + 1];

      draw_limits (test, limits);
      check_limits (test, limits, &found);
    }
  judge (&found);
}

/* ---- throughput ------------------------------------------- */

static gint64
find_busiest (const TpTestCase *test, const guint8 *devices)
{
  gint64 loads[3 * TP_TEST_MAX_DEVICES], most = 0;

  if (!tp_test_case_loads (test, devices, loads))
    return TP_COST_NONE;
  for (int i = 0; i < 3 * test->costs->n_devices; i++)
    most = MAX (most, loads[i]);
  return most;
}

/* Of all placements within @limits. */
static gint64
find_least_load (const TpTestCase *test, const gint64 *limits)
{
  int n = test->graph->n_nodes, k = test->costs->n_devices;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 least = TP_COST_NONE;

  do
    {
      gint64 bytes[TP_TEST_MAX_DEVICES];
      gint64 load = find_busiest (test, devices);

      if (load < least)
        {
          tp_memory_case_count (test, devices, bytes);
          if (fits (test, bytes, limits))
            least = load;
        }
    }
  while (tp_test_step_devices (devices, n, k));
  return least;
}

static void
check_load (const TpTestCase *test, const gint64 *limits, Found *found)
{
  const TpPlaceOptions options
      = { .objective = "throughput", .limits = limits };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = tp_place_with (test->graph, test->groups,
                                           test->costs, &options, &error);
  gint64 least = find_least_load (test, limits), bytes[TP_TEST_MAX_DEVICES];
  g_autofree guint8 *devices = NULL;

  found->n_lost += plan == NULL && least != TP_COST_NONE;
  if (plan == NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
      return;
    }
  devices = tp_test_plan_devices (plan);
  tp_memory_case_count (test, devices, bytes);
  g_assert_true (fits (test, bytes, limits));
  g_assert_cmpint (plan->load_proof->load_ns, ==, find_busiest (test, devices));
  g_assert_cmpint (plan->load_proof->bound_ns, <=, least);
  g_assert_cmpint (tp_load_proof_get_bound (plan->load_proof), <=, least);
  tp_test_assert_checked (plan, test->graph);
  found->n_proved += plan->memory_limits != NULL
                     && tp_load_proof_get_bound (plan->load_proof)
                            == plan->load_proof->load_ns;
  count (found, plan, plan->load_proof->load_ns, least);
}

/* No placement that fits is less loaded with @n ops from @first on on one device. */
static void
assert_no_run (const TpTestCase *test, const gint64 *limits,
               const guint8 *devices, int first, int n)
{
  gint64 load = find_busiest (test, devices), bytes[TP_TEST_MAX_DEVICES];

  for (int d = 0; d < test->costs->n_devices; d++)
    {
      g_autofree guint8 *moved
          = g_memdup2 (devices, (gsize) test->graph->n_nodes + 1);

      memset (moved + first, d, (gsize) n);
      if (find_busiest (test, moved) >= load)
        continue;
      tp_memory_case_count (test, moved, bytes);
      g_assert_false (fits (test, bytes, limits));
    }
}

/* For all but the first, a part of what the cheapest takes there. */
static void
limit_others (const TpTestCase *test, gint64 *limits)
{
  g_autoptr (TpPlan) plan = tp_memory_case_place (test, NULL, 0);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  gint64 bytes[TP_TEST_MAX_DEVICES];

  tp_memory_case_count (test, devices, bytes);
  for (int d = 1; d < test->costs->n_devices; d++)
    limits[d] = bytes[d] * g_test_rand_int_range (10, 90) / 100 + 1;
}

static TpTestCase *
new_case (int n_devices, int n_ops)
{
  return n_devices == 2 ? tp_memory_case_new (n_ops)
                        : tp_memory_case_new_for (n_devices, n_ops);
}

/* Of more ops than all placements can be tried of. */
static void
test_runs (gconstpointer n_devices)
{
  int k = GPOINTER_TO_INT (n_devices), n_bound = 0;

  for (int round = 0; round < ROUNDS / 2; round++)
    {
      int n_ops = g_test_rand_int_range (8, 25);
      g_autoptr (TpTestCase) test = new_case (k, n_ops);
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
      const TpPlaceOptions options
          = { .objective = "throughput", .limits = limits };
      g_autoptr (TpPlan) plan = NULL;
      g_autofree guint8 *devices = NULL;

      limit_others (test, limits);
      plan = tp_place_with (test->graph, test->groups, test->costs, &options,
                            NULL);
      if (plan == NULL || plan->memory_limits == NULL)
        continue;
      n_bound++;
      devices = tp_test_plan_devices (plan);
      for (int n = 1; n <= 3; n++)
        for (int i = 0; i + n <= n_ops; i++)
          assert_no_run (test, limits, devices, i, n);
    }
  g_assert_cmpint (n_bound, >=, ROUNDS / 8);
}

static void
test_throughput (gconstpointer n_devices)
{
  int k = GPOINTER_TO_INT (n_devices);
  Found found = { 0 };

  for (int round = 0; round < ROUNDS; round++)
    {
      int n_ops = g_test_rand_int_range (2, k == 2 ? MAX_OPS + 1 : 7);
      g_autoptr (TpTestCase) test = new_case (k, n_ops);
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };

      limit_others (test, limits);
      check_load (test, limits, &found);
    }
  judge (&found);
  g_assert_cmpint (20 * found.n_least, >=, 19 * found.n_bound);
}

/* ---- makespan -------------------------------------------------------------- */

/* What a run by @devices takes, in the order in which it takes least of those in which
 * it fits; TP_COST_NONE: in none. */
static gint64
find_span (const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (problem, devices);
  TpSpanRoom room = { G_MAXINT64 };
  gint64 least = TP_COST_NONE;

  for (int order = TP_SPAN_BY_RANK; order <= TP_SPAN_IN_TURN; order++)
    {
      gint64 span = tp_span_tasks_schedule_as (tasks, (TpSpanOrder) order);

      if (tp_span_room_fits (&room, tasks))
        least = MIN (least, span);
    }
  return least;
}

/* Of all placements. */
static gint64
find_least_span (const TpTestCase *test, const gint64 *limits)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  int n = test->graph->n_nodes;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 least = TP_COST_NONE;

  problem->limits = limits;
  do
    {
      if (tp_test_case_cost (test, devices) != TP_COST_NONE)
        least = MIN (least, find_span (problem, devices));
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return least;
}

/* In turn it takes what it costs, and no other memory than that. */
static void
check_turns (const TpTestCase *test, const guint8 *devices)
{
  g_autoptr (TpProblem) problem = tp_test_case_problem (test);
  g_autoptr (TpSpanTasks) tasks = tp_span_tasks_new (problem, devices);
  gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
  TpSpanRoom room = { G_MAXINT64 };

  g_assert_cmpint (tp_span_tasks_schedule_as (tasks, TP_SPAN_IN_TURN), ==,
                   tp_test_case_cost (test, devices));
  tp_memory_case_count (test, devices, limits);
  problem->limits = limits;
  g_assert_true (tp_span_room_fits (&room, tasks));
  limits[1]--;
  g_assert_true (limits[1] <= 0 || !tp_span_room_fits (&room, tasks));
}

static void
check_span (const TpTestCase *test, const gint64 *limits, Found *found)
{
  const TpPlaceOptions options = { .objective = "makespan", .limits = limits };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = tp_place_with (test->graph, test->groups,
                                           test->costs, &options, &error);
  g_autoptr (TpPlan) timed = tp_memory_case_place (test, limits, 0);
  gint64 least = find_least_span (test, limits);

  found->n_lost += plan == NULL && least != TP_COST_NONE;
  if (plan == NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
      return;
    }
  tp_plan_count_memory (plan, test->graph);
  g_assert_true (tp_plan_fits (plan, limits));
  g_assert_true (timed == NULL || plan->span_proof->span_ns <= timed->cost_ns);
  g_assert_cmpint (plan->span_proof->bound_ns, <=, least);
  tp_test_assert_checked (plan, test->graph);
  found->n_proved += plan->memory_limits != NULL
                     && plan->span_proof->bound_ns == plan->span_proof->span_ns;
  count (found, plan, plan->span_proof->span_ns, least);
}

typedef struct
{
  int n_devices;
  gboolean is_streamed;
} SpanKind;

static const SpanKind span_kinds[]
    = { { 2, FALSE }, { 3, FALSE }, { 2, TRUE } };

static TpTestCase *
new_span_case (const SpanKind *kind)
{
  int n_ops
      = g_test_rand_int_range (2, kind->n_devices == 2 ? MAX_OPS + 1 : 6);

  if (kind->is_streamed)
    return tp_memory_case_new_streamed (MAX (n_ops - 2, 1), 2);
  return kind->n_devices == 2 ? tp_memory_case_new (n_ops)
                              : tp_memory_case_new_for (kind->n_devices, n_ops);
}

static void
test_makespan (gconstpointer data)
{
  const SpanKind *kind = data;
  Found found = { 0 };

  for (int round = 0; round < ROUNDS; round++)
    {
      g_autoptr (TpTestCase) test = new_span_case (kind);
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
      gint64 bytes[TP_TEST_MAX_DEVICES];
      g_autoptr (TpPlan) plan = tp_memory_case_place (test, NULL, 0);
      g_autofree guint8 *devices = tp_test_plan_devices (plan);

      if (round % 3 == 0)
        tp_test_case_slow (test);
      check_turns (test, devices);
      tp_memory_case_count (test, devices, bytes);
      for (int d = 1; d < kind->n_devices; d++)
        limits[d] = bytes[d] * g_test_rand_int_range (10, 90) / 100 + 1;
      check_span (test, limits, &found);
    }
  judge (&found);
}

/* The checker takes no plan that is above a limit. */
static void
test_spoilt (void)
{
  int n_bound = 0;

  while (n_bound < 10)
    {
      g_autoptr (TpTestCase) test = tp_memory_case_new_for (3, 8);
      gint64 limits[TP_TEST_MAX_DEVICES + 1];
      g_autoptr (TpPlan) plan = NULL;
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

      draw_limits (test, limits);
      plan = tp_memory_case_place (test, limits, 0);
      if (plan == NULL || plan->memory_limits == NULL)
        continue;
      n_bound++;
      tp_plan_count_memory (plan, test->graph);
      for (int d = 0; d < plan->n_devices; d++)
        plan->memory_limits[d]
            = MAX (plan->peak_bytes[d] + plan->weight_bytes[d] - 1, 0);
      g_assert_false (tp_check (plan, test->graph, reasons));
      g_assert_cmpint (reasons->len, >=, 1);
      g_assert_nonnull (strstr (reasons->pdata[0], "more memory than its"));
    }
}

/* ---- the other checker ----------------------------------------------------- */

static TpPlan *
place_in_room (const TpTestCase *test, int round)
{
  return tp_test_place_in_room (test);
}

static void
test_second (void)
{
  const TpTestLies lies
      = { tp_test_room_mutations, tp_test_room_case_new, place_in_room, 60, 3 };

  tp_test_lies_check_second (&lies);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/room/brute-force-3", GINT_TO_POINTER (3),
                        test_brute_force);
  g_test_add_data_func ("/room/brute-force-4", GINT_TO_POINTER (4),
                        test_brute_force);
  g_test_add_data_func ("/room/throughput/2", GINT_TO_POINTER (2),
                        test_throughput);
  g_test_add_data_func ("/room/throughput/3", GINT_TO_POINTER (3),
                        test_throughput);
  g_test_add_data_func ("/room/throughput/runs-2", GINT_TO_POINTER (2), test_runs);
  g_test_add_data_func ("/room/throughput/runs-3", GINT_TO_POINTER (3), test_runs);
  g_test_add_data_func ("/room/makespan/2", &span_kinds[0], test_makespan);
  g_test_add_data_func ("/room/makespan/3", &span_kinds[1], test_makespan);
  g_test_add_data_func ("/room/makespan-streamed", &span_kinds[2],
                        test_makespan);
  g_test_add_func ("/room/spoilt", test_spoilt);
  g_test_add_func ("/room/second", test_second);
  return g_test_run ();
}
