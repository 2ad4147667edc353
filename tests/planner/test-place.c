/* test-place.c: placements against all placements there are, and properties
 * that hold where there are too many. */
#include "config.h"

#include "format/plan-json.h"
#include "place-case.h"
#include "planner/margin.h"
#include "planner/place.h"
#include "random-graph.h"

#include <string.h>

/* Of the cheapest placements the one with fewest ops on the device. */
static gint64
brute_force (const TpTestCase *test, guint8 *best_devices)
{
  int n = test->graph->n_nodes, best_count = G_MAXINT;
  gint64 best = TP_COST_NONE;
  g_autofree guint8 *devices = g_new (guint8, n + 1);

  for (guint set = 0; set < 1u << n; set++)
    {
      int count = 0;
      gint64 cost;

      for (int i = 0; i < n; i++)
        count += devices[i] = (set >> i) & 1;
      cost = tp_test_case_cost (test, devices);
      if (cost > best || (cost == best && count >= best_count))
        continue;
      best = cost;
      best_count = count;
      memcpy (best_devices, devices, n);
    }
  return best;
}

/* Flow out of the source less the gains: what the certificate is worth. */
static gint64
flow_value (const TpPlan *plan, const TpTestCase *test)
{
  return tp_test_sum_flow (test, plan->flows, plan->n_flows)
         - plan->constant_ns;
}

static gint64
sum_of_parts (const TpPlan *plan)
{
  gint64 sum = 0;

  for (int i = 0; i < plan->n_placements; i++)
    sum += plan->placements[i].time_ns;
  for (int i = 0; i < plan->n_transfers; i++)
    sum += plan->transfers[i].time_ns;
  return sum;
}

static void
check_against_all (const TpTestCase *test)
{
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  int n = test->graph->n_nodes;
  guint8 expected[16];
  gint64 best = brute_force (test, expected);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);

  g_assert_cmpint (plan->cost_ns, ==, best);
  g_assert_cmpint (plan->bound_ns, ==, best);
  g_assert_cmpint (flow_value (plan, test), ==, best);
  g_assert_cmpint (sum_of_parts (plan), ==, best);
  g_assert_cmpmem (devices, n, expected, n);
  tp_test_assert_checked (plan, test->graph);
}

/* All on one device, where that is allowed, is never better. */
static void
check_single (const TpTestCase *test)
{
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  gint64 best = TP_COST_NONE;

  for (int d = 1; d >= 0; d--)
    {
      guint8 devices[16];
      gint64 cost;

      memset (devices, d, sizeof devices);
      cost = tp_test_case_cost (test, devices);
      g_assert_cmpint (plan->cost_ns, <=, cost);
      best = MIN (best, cost);
    }
  g_assert_cmpint (plan->best_single >= 0, ==, best != TP_COST_NONE);
  if (plan->best_single >= 0)
    g_assert_cmpint (plan->best_single_ns, ==, best);
}

static void
test_brute_force (void)
{
  gboolean is_full = g_getenv ("TPLAN_TEST_FULL") != NULL;
  int n_rounds = is_full ? 10000 : 1000;

  for (int round = 0; round < n_rounds; round++)
    {
      TpTestSpec spec = tp_test_spec_together (g_test_rand_int_range (
          1, is_full ? 15 : round % 10 == 0 ? 13 : 10));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);

      check_against_all (test);
      check_single (test);
    }
}

static void
test_equal_bytes (void)
{
  for (int round = 0; round < 100; round++)
    {
      TpTestSpec spec = tp_test_spec_together (60);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) first = tp_test_place (test, "time");
      g_autoptr (TpPlan) second = tp_test_place (test, "time");
      g_autofree char *a = NULL;
      g_autofree char *b = NULL;

      tp_place_margins (first, test->graph, NULL);
      tp_place_margins (second, test->graph, NULL);
      tp_place_margins (second, test->graph, NULL);
      a = tp_plan_to_json (first, test->graph);
      b = tp_plan_to_json (second, test->graph);
      g_assert_cmpstr (a, ==, b);
    }
}

static void
swap_columns (TpCost *to, const TpCost *from, int rows)
{
  for (int i = 0; i < 2 * rows; i++)
    to[i] = from[i ^ 1];
}

/* The same devices in the other order. */
static TpCosts *
swap_devices (const TpTestCase *test)
{
  const TpCosts *costs = test->costs;
  const char *const names[] = { costs->devices[1], costs->devices[0], NULL };
  TpCosts *swapped = tp_costs_new (2, names, test->graph, test->groups);

  swapped->host
      = costs->host == TP_COSTS_HOST ? TP_COSTS_HOST : 1 - costs->host;
  swap_columns (swapped->nodes, costs->nodes, costs->n_nodes);
  swap_columns (swapped->groups, costs->groups, costs->n_groups);
  swap_columns (swapped->feeds, costs->feeds, costs->n_tensors);
  swap_columns (swapped->fetches, costs->fetches, costs->n_tensors);
  return swapped;
}

/* No order of devices costs more than another. */
static void
test_swapped (void)
{
  for (int round = 0; round < 200; round++)
    {
      TpTestSpec spec = tp_test_spec_together (40);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpCosts) costs = swap_devices (test);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      g_autoptr (TpPlan) swapped
          = tp_place (test->graph, test->groups, costs, "time", NULL);

      tp_test_assert_checked (swapped, test->graph);
      g_assert_cmpint (swapped->cost_ns, ==, plan->cost_ns);
      g_assert_cmpint (swapped->best_single_ns, ==, plan->best_single_ns);
    }
}

static void
scale_copies (TpCosts *costs, int factor)
{
  for (int i = 0; i < costs->n_tensors * costs->n_devices; i++)
    {
      costs->feeds[i].time_ns *= factor;
      costs->fetches[i].time_ns *= factor;
    }
  tp_costs_seal (costs);
}

/* A dearer link is used less: copies at the old price do not grow. */
static void
test_dearer_link (void)
{
  for (int round = 0; round < 200; round++)
    {
      TpTestSpec spec = tp_test_spec_together (40);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      int factor = g_test_rand_int_range (2, 6);
      g_autoptr (TpPlan) cheap = tp_test_place (test, "time");
      g_autofree guint8 *before = tp_test_plan_devices (cheap);
      g_autoptr (TpPlan) dear = NULL;
      g_autofree guint8 *after = NULL;

      scale_copies (test->costs, factor);
      dear = tp_test_place (test, "time");
      after = tp_test_plan_devices (dear);
      g_assert_cmpint (tp_test_case_copies (test, after), <=,
                       tp_test_case_copies (test, before));
      g_assert_cmpint (dear->cost_ns, >=, cheap->cost_ns);
    }
}

/* A margin is what forcing the op costs: brute force over the rest. */
static void
test_margins (void)
{
  for (int round = 0; round < 100; round++)
    {
      TpTestSpec spec = tp_test_spec_together (g_test_rand_int_range (1, 8));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      int n = test->graph->n_nodes;
      gint64 best[16];

      g_assert_true (tp_place_margins (plan, test->graph, NULL));
      for (int i = 0; i < n; i++)
        best[i] = TP_COST_NONE;
      for (guint set = 0; set < 1u << n; set++)
        {
          guint8 devices[16];
          gint64 cost;

          for (int i = 0; i < n; i++)
            devices[i] = (set >> i) & 1;
          cost = tp_test_case_cost (test, devices);
          for (int i = 0; i < n; i++)
            if (devices[i] != plan->placements[i].device)
              best[i] = MIN (best[i], cost);
        }
      for (int i = 0; i < n; i++)
        g_assert_cmpint (plan->placements[i].margin_ns, ==,
                         best[i] == TP_COST_NONE ? -1
                                                 : best[i] - plan->cost_ns);
    }
}

/* The cheapest plan in which op @index cannot be where @plan has it; NULL: it has
 * nowhere else to be. */
static TpPlan *
place_elsewhere (TpTestCase *test, const TpPlan *plan, int index)
{
  TpCost *here = tp_costs_node (test->costs, index,
                                plan->placements[index].device);
  TpCost kept = *here;
  TpPlan *forced;

  *here = (TpCost){ .time_ns = TP_COST_NONE, .reason = "forced" };
  tp_costs_seal (test->costs);
  forced = tp_place (test->graph, test->groups, test->costs, "time", NULL);
  *here = kept;
  tp_costs_seal (test->costs);
  return forced;
}

/* In large ones each is what planning again finds. */
static void
test_large_margins (void)
{
  for (int round = 0; round < 10; round++)
    {
      TpTestSpec spec = tp_test_spec_together (300);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");

      g_assert_true (tp_place_margins (plan, test->graph, NULL));
      for (int i = round; i < test->graph->n_nodes; i += 10)
        {
          g_autoptr (TpPlan) forced = place_elsewhere (test, plan, i);

          g_assert_false (plan->placements[i].is_margin_least);
          g_assert_cmpint (plan->placements[i].margin_ns, ==,
                           forced == NULL ? -1
                                          : forced->cost_ns - plan->cost_ns);
        }
    }
}

/* Large ones: the proof is checked, and moving any one op gains nothing. */
static void
test_large (void)
{
  for (int round = 0; round < 5; round++)
    {
      TpTestSpec spec = tp_test_spec_together (3000);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      g_autofree guint8 *devices = tp_test_plan_devices (plan);

      g_assert_cmpint (tp_test_case_cost (test, devices), ==, plan->cost_ns);
      tp_test_assert_checked (plan, test->graph);
      for (int i = 0; i < test->graph->n_nodes; i += 50)
        {
          devices[i] ^= 1;
          g_assert_cmpint (tp_test_case_cost (test, devices), >=,
                           plan->cost_ns);
          devices[i] ^= 1;
        }
    }
}

/* ---- special cases ----------------------------------------------------- */

static TpTestCase *
small_case (void)
{
  TpTestSpec spec = { .n_ops = 6, .max_cost = 100 };

  return tp_test_case_new (&spec);
}

static TpCosts *
first_device_only (const TpTestCase *test)
{
  static const char *const names[] = { "cpu", NULL };
  TpCosts *costs = tp_costs_new (1, names, test->graph, test->groups);

  costs->host = MIN (test->costs->host, 0);
  for (int i = 0; i < costs->n_nodes; i++)
    costs->nodes[i] = test->costs->nodes[2 * i];
  for (int g = 0; g < costs->n_groups; g++)
    costs->groups[g] = test->costs->groups[2 * g];
  for (int i = 0; i < costs->n_tensors; i++)
    {
      costs->feeds[i] = test->costs->feeds[2 * i];
      costs->fetches[i] = test->costs->fetches[2 * i];
    }
  return costs;
}

static void
test_one_device (void)
{
  for (int round = 0; round < 50; round++)
    {
      TpTestSpec spec
          = { .n_ops = 10, .max_cost = 50, .has_groups = round % 2,
              .host = -(round % 3 == 0) };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpCosts) costs = first_device_only (test);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan
          = tp_place (test->graph, test->groups, costs, "time", &error);
      guint8 devices[16] = { 0 };

      g_assert_no_error (error);
      g_assert_nonnull (plan->costs_digest);
      g_assert_cmpint (plan->cost_ns, ==, tp_test_case_cost (test, devices));
      g_assert_cmpint (plan->bound_ns, ==, plan->cost_ns);
      g_assert_cmpint (plan->n_flows, ==, 0);
      g_assert_cmpint (plan->n_transfers > 0, ==, round % 3 == 0);
      g_assert_true (tp_place_margins (plan, test->graph, &error));
      tp_test_assert_checked (plan, test->graph);
    }
}

/* The host cannot run anything: inputs and outputs still live there. */
static void
test_device_only (void)
{
  g_autoptr (TpTestCase) test = small_case ();
  g_autoptr (TpPlan) plan = NULL;
  guint8 devices[16];

  memset (devices, 1, sizeof devices);
  for (int i = 0; i < test->graph->n_nodes; i++)
    tp_costs_node (test->costs, i, 0)->time_ns = TP_COST_NONE;
  tp_costs_seal (test->costs);
  plan = tp_test_place (test, "time");
  g_assert_cmpint (plan->cost_ns, ==, tp_test_case_cost (test, devices));
  g_assert_cmpint (plan->best_single, ==, 1);
  g_assert_cmpint (plan->n_transfers, >=, 1); /* all may come from 'w' */
  tp_test_assert_checked (plan, test->graph);
}

static const TpGroup *
find_group (const TpPlan *plan, int node)
{
  for (int i = 0; i < plan->groups->n_groups; i++)
    for (int k = 0; k < plan->groups->groups[i].n_nodes; k++)
      if (plan->groups->groups[i].nodes[k] == node)
        return &plan->groups->groups[i];
  return NULL;
}

/* Every op has the schedule of the figure that was counted: of itself, or of its
 * group where that begins. */
static void
test_schedules (void)
{
  TpTestSpec spec = { .n_ops = 12, .max_cost = 50, .has_groups = TRUE };

  for (int round = 0; round < 20; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      TpCosts *costs = test->costs;
      g_autoptr (TpPlan) plan = NULL;

      for (int i = 0; i < costs->n_nodes * costs->n_devices; i++)
        costs->nodes[i].schedule = i % 3 == 0 ? NULL : i % 2 ? "odd" : "even";
      for (int i = 0; i < costs->n_groups * costs->n_devices; i++)
        costs->groups[i].schedule = i % 2 ? "fused" : NULL;
      plan = tp_test_place (test, "time");
      for (int i = 0; i < plan->n_placements; i++)
        {
          const TpPlacement *it = &plan->placements[i];
          const TpGroup *group = find_group (plan, it->node);
          int cell = it->node * costs->n_devices + it->device;

          if (group == NULL)
            g_assert_cmpstr (it->schedule, ==, costs->nodes[cell].schedule);
          else if (group->nodes[0] != it->node || it->device == 0)
            g_assert_null (it->schedule);
          else
            g_assert_cmpstr (it->schedule, ==, "fused");
        }
    }
}

static void
assert_refused (const TpTestCase *test, const char *objective, int code,
                const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = tp_place (test->graph, test->groups, test->costs,
                                      objective, &error);

  g_assert_null (plan);
  g_assert_error (error, TPLAN_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("'%s' is not like '%s'", error->message, pattern);
}

static void
test_infeasible (void)
{
  g_autoptr (TpTestCase) test = small_case ();
  const char *const pins[] = { "op2=opencl:0", NULL };
  TpGraph *pinned = tp_graph_pin (test->graph, pins, NULL);
  TpCost *cost = tp_costs_node (test->costs, 2, 1);

  tp_graph_unref (test->graph);
  test->graph = pinned;
  cost->time_ns = TP_COST_NONE;
  cost->reason = g_intern_static_string ("no such op");
  assert_refused (test, "time", TPLAN_ERROR_INFEASIBLE,
                  "*op 'op2'*pinned to 'opencl:0'*no such op*");
}

static void
test_refused (void)
{
  g_autoptr (TpTestCase) test = small_case ();
  gint64 kept = tp_costs_node (test->costs, 1, 0)->time_ns;

  assert_refused (test, "beauty", TPLAN_ERROR_USAGE, "*'beauty'*");
  tp_costs_node (test->costs, 1, 0)->time_ns = -1;
  assert_refused (test, "time", TPLAN_ERROR_LIMIT, "*'op1'*");
  tp_costs_node (test->costs, 1, 0)->time_ns = G_GINT64_CONSTANT (1) << 62;
  assert_refused (test, "time", TPLAN_ERROR_LIMIT, "*2^62*");
  tp_costs_node (test->costs, 1, 0)->time_ns = (G_GINT64_CONSTANT (1) << 62)
                                               - 1;
  assert_refused (test, "time", TPLAN_ERROR_LIMIT, "*2^62*");
  tp_costs_node (test->costs, 1, 0)->time_ns = kept;
  tp_costs_fetch (test->costs, 1, 1)->time_ns = TP_COST_NONE;
  assert_refused (test, "time", TPLAN_ERROR_LIMIT, "tensor*");
}

/* More devices than any solver takes. */
static void
test_many_devices (void)
{
  static const char *const names[]
      = { "cpu", "opencl:0", "opencl:1", "opencl:2",
          "opencl:3", "opencl:4", "opencl:5", NULL };
  g_autoptr (TpTestCase) test = small_case ();
  g_autoptr (TpCosts) two = test->costs;

  test->costs = tp_costs_new (7, names, test->graph, test->groups);
  for (int i = 0; i < 7 * test->costs->n_nodes; i++)
    test->costs->nodes[i].time_ns = 1;
  assert_refused (test, "time", TPLAN_ERROR_UNSUPPORTED,
                  "7 devices*'time'*at most 6*");
}

/* As large as costs may be. */
static void
test_huge_costs (void)
{
  g_autoptr (TpTestCase) test = small_case ();
  g_autoptr (TpPlan) plan = NULL;
  gint64 huge = (G_GINT64_CONSTANT (1) << 62) / 40;

  for (int i = 0; i < test->graph->n_nodes; i++)
    for (int d = 0; d < 2; d++)
      tp_costs_node (test->costs, i, d)->time_ns = huge - 10 * i;
  for (int i = 0; i < test->graph->n_tensors; i++)
    tp_costs_feed (test->costs, i, 1)->time_ns
        = tp_costs_fetch (test->costs, i, 1)->time_ns = huge / 10;
  tp_costs_seal (test->costs);
  plan = tp_test_place (test, "time");
  tp_test_assert_checked (plan, test->graph);
}

static void
test_no_groups (void)
{
  g_autoptr (TpTestCase) test = small_case ();
  g_autoptr (TpPlan) with = tp_test_place (test, "time");
  g_autoptr (TpPlan) without
      = tp_place (test->graph, NULL, test->costs, "time", NULL);

  g_assert_cmpint (with->cost_ns, ==, without->cost_ns);
  tp_test_assert_checked (without, test->graph);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/place/brute-force", test_brute_force);
  g_test_add_func ("/place/equal-bytes", test_equal_bytes);
  g_test_add_func ("/place/swapped", test_swapped);
  g_test_add_func ("/place/dearer-link", test_dearer_link);
  g_test_add_func ("/place/margins", test_margins);
  g_test_add_func ("/place/large-margins", test_large_margins);
  g_test_add_func ("/place/large", test_large);
  g_test_add_func ("/place/one-device", test_one_device);
  g_test_add_func ("/place/device-only", test_device_only);
  g_test_add_func ("/place/infeasible", test_infeasible);
  g_test_add_func ("/place/schedules", test_schedules);
  g_test_add_func ("/place/refused", test_refused);
  g_test_add_func ("/place/many-devices", test_many_devices);
  g_test_add_func ("/place/huge-costs", test_huge_costs);
  g_test_add_func ("/place/no-groups", test_no_groups);
  return g_test_run ();
}
