/* test-between.c: the cheapest plan between two tables of costs, against all
 * placements of figures on straight lines between them. */
#include "config.h"

#include "place-case.h"
#include "planner/between.h"
#include "planner/envelope.h"
#include "random-graph.h"

#include <math.h>
#include <string.h>

#define MAX_OPS 8
#define MAX_TERM 40           /* of the fractions that are tried */

/* The same graph with other figures; some groups are not there. */
typedef struct
{
  TpGroups *groups;
  TpCosts *costs;
  int *from;                  /* [group]: what it is of all */
} Other;

static void
other_clear (Other *other)
{
  tp_groups_free (other->groups);
  tp_costs_unref (other->costs);
  g_free (other->from);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Other, other_clear)

static gint64
redraw (gint64 time_ns)
{
  if (time_ns == TP_COST_NONE)
    return TP_COST_NONE;
  return g_test_rand_int_range (0, 3) == 0 ? time_ns
                                           : g_test_rand_int_range (0, 40);
}

static void
other_init (Other *other, const TpTestCase *test)
{
  const TpCosts *as = test->costs;
  int n = test->groups == NULL ? 0 : test->groups->n_groups;

  other->groups = tp_groups_new ();
  other->from = g_new0 (int, n + 1);
  for (int i = 0; i < n; i++)
    if (g_test_rand_int_range (0, 3) > 0)
      {
        other->from[other->groups->n_groups] = i;
        tp_groups_add (other->groups, test->groups->groups[i].nodes,
                       test->groups->groups[i].n_nodes);
      }
  other->costs = tp_costs_new (as->n_devices, (const char *const *) as->devices,
                               test->graph, other->groups);
  other->costs->host = as->host;
  for (int d = 0; d < as->n_devices; d++)
    {
      for (int i = 0; i < as->n_nodes; i++)
        tp_costs_node (other->costs, i, d)->time_ns
            = redraw (tp_costs_node (as, i, d)->time_ns);
      for (int i = 0; i < other->groups->n_groups; i++)
        tp_costs_group (other->costs, i, d)->time_ns
            = redraw (tp_costs_group (as, other->from[i], d)->time_ns);
      for (int i = 0; i < as->n_tensors; i++)
        {
          tp_costs_feed (other->costs, i, d)->time_ns
              = redraw (tp_costs_feed (as, i, d)->time_ns);
          tp_costs_fetch (other->costs, i, d)->time_ns
              = redraw (tp_costs_fetch (as, i, d)->time_ns);
        }
    }
}

/* q - p times the one, p times the other. */
static gint64
mix (gint64 low, gint64 high, gint64 p, gint64 q)
{
  return low == TP_COST_NONE || high == TP_COST_NONE ? TP_COST_NONE
                                                     : (q - p) * low + p * high;
}

static gint64
sum_nodes (const TpCosts *costs, const TpGroup *group, int device)
{
  gint64 sum = 0;

  for (int k = 0; k < group->n_nodes; k++)
    {
      gint64 time_ns = tp_costs_node (costs, group->nodes[k], device)->time_ns;

      if (time_ns == TP_COST_NONE)
        return TP_COST_NONE;
      sum += time_ns;
    }
  return sum;
}

/* What is not one at that end takes what its ops do. */
static gint64
find_whole (const TpCosts *costs, const TpGroup *group, int index, int device)
{
  if (index >= 0
      && tp_costs_group (costs, index, device)->time_ns != TP_COST_NONE)
    return tp_costs_group (costs, index, device)->time_ns;
  return sum_nodes (costs, group, device);
}

static gboolean
is_whole (const TpCosts *costs, int index, int device)
{
  return index >= 0
         && tp_costs_group (costs, index, device)->time_ns != TP_COST_NONE;
}

static void
mix_groups (const TpTestCase *test, const Other *other, gint64 p, gint64 q,
            TpCosts *out)
{
  for (int i = 0; i < out->n_groups; i++)
    for (int d = 0; d < out->n_devices; d++)
      {
        const TpGroup *group = &test->groups->groups[i];
        int there = -1;

        for (int k = 0; k < other->groups->n_groups; k++)
          if (other->from[k] == i)
            there = k;
        if (is_whole (test->costs, i, d) || is_whole (other->costs, there, d))
          tp_costs_group (out, i, d)->time_ns
              = mix (find_whole (test->costs, group, i, d),
                     find_whole (other->costs, group, there, d), p, q);
      }
}

static TpCosts *
mix_costs (const TpTestCase *test, const Other *other, gint64 p, gint64 q)
{
  const TpCosts *low = test->costs, *high = other->costs;
  TpCosts *out = tp_costs_new (low->n_devices, (const char *const *) low->devices,
                               test->graph, test->groups);

  out->host = low->host;
  for (int d = 0; d < low->n_devices; d++)
    {
      for (int i = 0; i < low->n_nodes; i++)
        tp_costs_node (out, i, d)->time_ns
            = mix (tp_costs_node (low, i, d)->time_ns,
                   tp_costs_node (high, i, d)->time_ns, p, q);
      for (int i = 0; i < low->n_tensors; i++)
        {
          tp_costs_feed (out, i, d)->time_ns
              = mix (tp_costs_feed (low, i, d)->time_ns,
                     tp_costs_feed (high, i, d)->time_ns, p, q);
          tp_costs_fetch (out, i, d)->time_ns
              = mix (tp_costs_fetch (low, i, d)->time_ns,
                     tp_costs_fetch (high, i, d)->time_ns, p, q);
        }
    }
  mix_groups (test, other, p, q, out);
  return out;
}

static gint64
try_all (const TpTestCase *test)
{
  int n = test->graph->n_nodes;
  guint8 devices[MAX_OPS + 1] = { 0 };
  gint64 least = G_MAXINT64;

  do
    {
      least = MIN (least, tp_test_case_cost (test, devices));
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  return least;
}

static void
check_value (const TpTestCase *test, const Other *other,
             const TpEnvelope *envelope, gint64 p, gint64 q)
{
  TpTestCase mixed
      = { test->graph, test->groups, mix_costs (test, other, p, q) };
  gint64 least = try_all (&mixed);
  int i = 0;

  while (i + 1 < envelope->n_pieces
         && envelope->pieces[i].to < (double) p / (double) q)
    i++;
  g_assert_cmpint (envelope->pieces[i].fixed * q + envelope->pieces[i].scaled * p,
                   ==, least);
  g_assert_cmpint (tp_test_case_cost (&mixed, envelope->pieces[i].devices), ==,
                   least);
  tp_costs_unref (mixed.costs);
}

static void
test_grid (void)
{
  int most = 0, n_rounds = tp_test_count_rounds (150, 1500);

  for (int round = 0; round < n_rounds; round++)
    {
      TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, MAX_OPS + 1));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_auto (Other) other = { NULL };
      g_auto (TpBetween) between = { .groups = NULL };
      g_autoptr (GError) error = NULL;
      g_autoptr (TpEnvelope) envelope = NULL;
      const char *reason;

      other_init (&other, test);
      reason = tp_between_init (
          &between,
          &(TpBetweenEnd){ test->graph, test->groups, test->costs },
          &(TpBetweenEnd){ test->graph, other.groups, other.costs });
      g_assert_null (reason);
      envelope = tp_envelope_find (&between.lines, 0, 1, &error);
      g_assert_no_error (error);
      g_assert_true (envelope->is_proved);
      for (gint64 q = 1; q < MAX_TERM; q++)
        check_value (test, &other, envelope,
                     g_test_rand_int_range (0, (gint32) q + 1), q);
      check_value (test, &other, envelope, 0, 1);
      check_value (test, &other, envelope, 1, 1);
      most = MAX (most, envelope->n_pieces);
    }
  g_assert_cmpint (most, >, 3);
}

/* Costs where another op can run elsewhere, and groups that share ops, are on no lines. */
static void
test_refused (void)
{
  const TpTestSpec spec = { .n_ops = 4, .max_cost = 10, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpGroups) two = tp_groups_new (), three = tp_groups_new ();
  TpCosts *costs[2];
  g_auto (TpBetween) first = { .groups = NULL }, second = { .groups = NULL };
  TpBetweenEnd low = { test->graph, two, NULL };
  TpBetweenEnd high = { test->graph, three, NULL };
  const char *const *devices = (const char *const *) test->costs->devices;
  const char *reason;

  tp_groups_add (two, (const int[]){ 0, 1 }, 2);
  tp_groups_add (three, (const int[]){ 0, 1, 2 }, 3);
  low.costs = costs[0] = tp_costs_new (2, devices, test->graph, two);
  high.costs = costs[1] = tp_costs_new (2, devices, test->graph, three);
  for (int i = 0; i < 4; i++)
    for (int d = 0; d < 2; d++)
      tp_costs_node (costs[0], i, d)->time_ns
          = tp_costs_node (costs[1], i, d)->time_ns = 1;
  reason = tp_between_init (&first, &low, &high);
  g_assert_cmpstr (reason, ==, "other ops run as one kernel");
  tp_costs_node (costs[1], 2, 1)->time_ns = TP_COST_NONE;
  reason = tp_between_init (&second, &low, &high);
  g_assert_cmpstr (reason, ==, "a device cannot run the same ops");
  tp_costs_unref (costs[0]);
  tp_costs_unref (costs[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/between/grid", test_grid);
  g_test_add_func ("/between/refused", test_refused);
  return g_test_run ();
}
