/* test-costs.c: tables of costs and their digest. */
#include "config.h"

#include "ir/costs.h"

static const char *const devices[] = { "cpu", "opencl:0", NULL };

/* Tables only count nodes and tensors. */
static const TpGraph graph = { .n_nodes = 3, .n_tensors = 4 };

static TpCosts *
make_costs (void)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();
  TpCosts *costs;

  tp_groups_add (groups, (const int[]) { 0, 1 }, 2);
  costs = tp_costs_new (2, devices, &graph, groups);
  tp_costs_seal (costs);
  return costs;
}

static void
test_new (void)
{
  g_autoptr (TpCosts) costs = make_costs ();

  g_assert_cmpint (tp_costs_node (costs, 2, 1)->time_ns, ==, TP_COST_NONE);
  g_assert_cmpint (tp_costs_group (costs, 0, 1)->time_ns, ==, TP_COST_NONE);
  g_assert_cmpint (tp_costs_feed (costs, 3, 1)->time_ns, ==, 0);
  g_assert_cmpint (tp_costs_fetch (costs, 3, 1)->time_ns, ==, 0);
  g_assert_false (costs->is_simulated);
}

/* From row to column: host memory, then both devices. */
static void
assert_copies (const TpCosts *costs, const gint64 (*expected)[3])
{
  for (int from = TP_COSTS_HOST; from < 2; from++)
    for (int to = TP_COSTS_HOST; to < 2; to++)
      g_assert_cmpint (tp_costs_copy (costs, 3, from, to).time_ns, ==,
                       expected[from + 1][to + 1]);
}

/* The host's own figures count for nothing. */
static void
test_copy (void)
{
  static const gint64 by_host[3][3][3] = {
    { { 0, 1, 2 }, { 10, 0, 12 }, { 20, 21, 0 } },
    { { 0, 0, 2 }, { 0, 0, 2 }, { 20, 20, 0 } },
    { { 0, 1, 0 }, { 10, 0, 10 }, { 0, 1, 0 } },
  };
  g_autoptr (TpCosts) costs = make_costs ();

  for (int d = 0; d < 2; d++)
    {
      *tp_costs_feed (costs, 3, d) = (TpCost){ .time_ns = 1 + d, .spread_ns = 1 };
      *tp_costs_fetch (costs, 3, d) = (TpCost){ .time_ns = 10 + 10 * d,
                                                   .spread_ns = 2,
                                                   .is_estimated = TRUE };
    }
  for (costs->host = TP_COSTS_HOST; costs->host < 2; costs->host++)
    assert_copies (costs, by_host[costs->host + 1]);
  costs->host = TP_COSTS_HOST;
  g_assert_cmpint (tp_costs_copy (costs, 3, 0, 1).spread_ns, ==, 3);
  g_assert_true (tp_costs_copy (costs, 3, 0, 1).is_estimated);
}

/* What cannot be added is cut short; what cannot be done stays so. */
static void
test_copy_limits (void)
{
  g_autoptr (TpCosts) costs = make_costs ();

  costs->host = TP_COSTS_HOST;
  tp_costs_fetch (costs, 3, 0)->time_ns = TP_COST_NONE - 1;
  tp_costs_feed (costs, 3, 1)->time_ns = TP_COST_NONE - 1;
  g_assert_cmpint (tp_costs_copy (costs, 3, 0, 1).time_ns, ==,
                   TP_COST_NONE - 1);
  tp_costs_feed (costs, 3, 1)->time_ns = TP_COST_NONE;
  tp_costs_feed (costs, 3, 1)->reason = "no road";
  g_assert_cmpint (tp_costs_copy (costs, 3, 0, 1).time_ns, ==, TP_COST_NONE);
  g_assert_cmpstr (tp_costs_copy (costs, 3, 0, 1).reason, ==, "no road");
}

static void
test_groups (void)
{
  g_autoptr (TpGroups) groups = tp_groups_new ();

  for (int i = 0; i < 1000; i++)
    tp_groups_add (groups, (const int[]) { i, i + 1, i + 2 }, 3);
  g_assert_cmpint (groups->n_groups, ==, 1000);
  for (int i = 0; i < 1000; i++)
    g_assert_cmpint (groups->groups[i].nodes[2], ==, i + 2);
}

/* Every figure is under the digest. */
static void
test_digest (void)
{
  g_autoptr (TpCosts) first = make_costs ();

  for (int i = 0; i < 10; i++)
    {
      g_autoptr (TpCosts) costs = make_costs ();

      g_assert_cmpstr (costs->digest, ==, first->digest);
      if (i == 0)
        tp_costs_node (costs, 1, 1)->time_ns = 7;
      else if (i == 1)
        tp_costs_group (costs, 0, 0)->time_ns = 7;
      else if (i == 2)
        costs->feeds[3].spread_ns = 1;
      else if (i == 3)
        costs->fetches[3].is_estimated = TRUE;
      else if (i == 4)
        tp_costs_node (costs, 1, 1)->reason = "no kernel";
      else if (i == 5)
        costs->fetches[3].time_ns = 1;
      else if (i == 6)
        costs->fetches[3].measured_ns = 1;
      else if (i == 7)
        costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups);
      else
        costs->host = i == 8 ? 1 : TP_COSTS_HOST;
      tp_costs_seal (costs);
      g_assert_cmpstr (costs->digest, !=, first->digest);
    }
}

/* Every figure of a copy that is drawn, one in some. */
static TpCost
draw_copy (int n_kinds)
{
  int kind = g_test_rand_int_range (0, n_kinds);

  return (TpCost){ .time_ns = kind % 7 == 6 ? TP_COST_NONE : kind,
                   .spread_ns = kind % 2,
                   .measured_ns = kind % 3,
                   .is_estimated = kind % 5 == 0,
                   .reason = kind % 7 == 6 ? "no road" : NULL };
}

static void
assert_same_copies (const TpCosts *first, const TpCosts *second)
{
  for (int i = 0; i < 2 * first->n_tensors; i++)
    {
      TpCostsGet get = i % 2 == 0 ? tp_costs_feed : tp_costs_fetch;

      for (int d = 0; d < 2; d++)
        {
          const TpCost *one = get (first, i / 2, d);
          const TpCost *two = get (second, i / 2, d);

          g_assert_cmpint (one->time_ns, ==, two->time_ns);
          g_assert_cmpint (one->spread_ns, ==, two->spread_ns);
          g_assert_cmpint (one->measured_ns, ==, two->measured_ns);
          g_assert_cmpint (one->is_estimated, ==, two->is_estimated);
          g_assert_true (one->reason == two->reason);
        }
    }
}

/* Rows that are equal are kept once, and nobody sees it; where most differ they stay. */
static void
test_share_copies (void)
{
  const TpGraph large = { .n_tensors = 2000 };

  for (int i = 0; i < 20; i++)
    {
      int n_kinds = i == 0 ? 1 : g_test_rand_int_range (1, i < 10 ? 5 : 3000);
      g_autoptr (TpCosts) costs = tp_costs_new (2, devices, &large, NULL);
      g_autoptr (TpCosts) shared = tp_costs_new (2, devices, &large, NULL);

      for (int k = 0; k < 8000; k++)
        {
          TpCostsGet get = k % 2 == 0 ? tp_costs_feed : tp_costs_fetch;

          *get (costs, k / 4, k / 2 % 2) = draw_copy (n_kinds);
          *get (shared, k / 4, k / 2 % 2) = *get (costs, k / 4, k / 2 % 2);
        }
      tp_costs_share_copies (shared);
      tp_costs_seal (costs);
      tp_costs_seal (shared);
      assert_same_copies (costs, shared);
      g_assert_cmpstr (costs->digest, ==, shared->digest);
      g_assert_true (n_kinds > 4 || shared->copy_rows != NULL);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/costs/new", test_new);
  g_test_add_func ("/costs/copy", test_copy);
  g_test_add_func ("/costs/copy-limits", test_copy_limits);
  g_test_add_func ("/costs/share-copies", test_share_copies);
  g_test_add_func ("/costs/groups", test_groups);
  g_test_add_func ("/costs/digest", test_digest);
  return g_test_run ();
}
