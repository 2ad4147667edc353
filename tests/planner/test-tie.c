/* test-tie.c: ties that noise makes, against all placements there are. */
#include "config.h"

#include "format/plan-json.h"
#include "place-case.h"
#include "planner/margin.h"
#include "random-graph.h"

#include <string.h>

#define MAX_OPS 8

/* Exact figures: the bytes of the cheapest plan. */
static void
test_exact (void)
{
  for (int round = 0; round < 200; round++)
    {
      TpTestSpec spec = tp_test_spec_together (30);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;
      g_autoptr (TpPlan) cheapest = NULL;
      g_autofree char *a = NULL;
      g_autofree char *b = NULL;

      tp_test_case_spread (test, 0);
      plan = tp_test_place_within_noise (test, "time");
      cheapest = tp_test_place (test, "time");
      a = tp_plan_to_json (plan, test->graph);
      b = tp_plan_to_json (cheapest, test->graph);
      g_assert_cmpstr (a, ==, b);
    }
}

/* ---- all placements ----------------------------------------------------- */

typedef struct
{
  guint8 devices[MAX_OPS];
  gint64 cost;                /* TP_COST_NONE: not allowed */
  int n_copies, n_second;
} Placement;

static Placement *
list_placements (const TpTestCase *test)
{
  int n = test->graph->n_nodes;
  Placement *list = g_new0 (Placement, (gsize) 1 << n);

  for (guint set = 0; set < 1u << n; set++)
    {
      Placement *it = &list[set];

      for (int i = 0; i < n; i++)
        it->n_second += it->devices[i] = (set >> i) & 1;
      it->cost = tp_test_case_cost (test, it->devices);
      it->n_copies = tp_test_case_count (test, it->devices);
    }
  return list;
}

/* Of the cheapest at @price the one with fewest ops on the second device. */
static const Placement *
find_cheapest (const TpTestCase *test, const Placement *list, gint64 price)
{
  const Placement *best = NULL;

  for (guint set = 0; set < 1u << test->graph->n_nodes; set++)
    {
      const Placement *it = &list[set];
      gint64 less = 1;

      if (it->cost == TP_COST_NONE)
        continue;
      if (best != NULL)
        less = best->cost + price * best->n_copies
               - (it->cost + price * it->n_copies);
      if (less > 0 || (less == 0 && it->n_second < best->n_second))
        best = it;
    }
  return best;
}

static gboolean
is_covered (const TpTestCase *test, const Placement *it,
            const Placement *cheapest)
{
  return it->cost - cheapest->cost
         <= (test->costs->is_same_silicon ? 3 : 1)
                * tp_test_case_noise (test, it->devices, cheapest->devices)
                * (1 + 1e-12);
}

/* Of the placements with the fewest copies the cheapest. */
static const Placement *
find_fewest (const TpTestCase *test, const Placement *list)
{
  const Placement *best = NULL;

  for (guint set = 0; set < 1u << test->graph->n_nodes; set++)
    {
      const Placement *it = &list[set];

      if (it->cost != TP_COST_NONE
          && (best == NULL || it->n_copies < best->n_copies
              || (it->n_copies == best->n_copies && it->cost < best->cost)))
        best = it;
    }
  return best;
}

/* Whether the placement with all on one device is a tie with the cheapest. */
static gboolean
is_tie_alone (const TpTestCase *test, const Placement *list, int device)
{
  const Placement *it
      = &list[device == 0 ? 0 : (1u << test->graph->n_nodes) - 1];
  const Placement *cheapest = find_cheapest (test, list, 0);

  return it->cost != TP_COST_NONE && it->n_copies < cheapest->n_copies
         && is_covered (test, it, cheapest);
}

/* Whether there is a tie to be broken; *@out_best: what must come of it, if that
 * is clear. */
static gboolean
has_tie (const TpTestCase *test, const Placement *list,
         const Placement **out_best)
{
  guint last = (1u << test->graph->n_nodes) - 1;
  const Placement *cheapest = find_cheapest (test, list, 0);
  const Placement *fewest = find_fewest (test, list);

  *out_best = NULL;
  if (fewest->n_copies < cheapest->n_copies
      && is_covered (test, fewest, cheapest)
      && (fewest == &list[0] || fewest == &list[last]
          || (list[0].cost == TP_COST_NONE
              && list[last].cost == TP_COST_NONE)))
    *out_best = fewest;
  return *out_best != NULL || is_tie_alone (test, list, 0)
         || is_tie_alone (test, list, 1);
}

static void
check_against_all (const TpTestCase *test, const TpPlan *plan, int *n_tied)
{
  g_autofree Placement *list = list_placements (test);
  g_autofree guint8 *devices = tp_test_plan_devices (plan);
  const Placement *expected, *own, *cheapest = find_cheapest (test, list, 0);
  int n = test->graph->n_nodes;

  own = find_cheapest (test, list, plan->tie_price_ns);
  g_assert_cmpmem (devices, n, own->devices, n);
  g_assert_cmpint (plan->bound_ns, ==, cheapest->cost);
  for (int i = 0; i < n; i++)
    g_assert_cmpint (plan->placements[i].cheapest, ==, cheapest->devices[i]);
  *n_tied += plan->tie_price_ns > 0;
  if (!has_tie (test, list, &expected))
    {
      g_assert_cmpint (plan->tie_price_ns, ==, 0);
      return;
    }
  if (plan->tie_price_ns > 0)
    {
      g_assert_cmpint (own->n_copies, <, cheapest->n_copies);
      g_assert_true (is_covered (test, own, cheapest));
    }
  if (expected != NULL)
    {
      g_assert_cmpint (own->n_copies, ==, expected->n_copies);
      g_assert_cmpint (plan->cost_ns, ==, expected->cost);
    }
}

/* Prices are whole nanoseconds: for small figures that would be coarse. */
static void
scale_times (TpCost *table, int n)
{
  for (int i = 0; i < n; i++)
    if (table[i].time_ns != TP_COST_NONE)
      table[i].time_ns *= 10000;
}

static void
scale_all (const TpTestCase *test)
{
  TpCosts *costs = test->costs;

  scale_times (costs->nodes, 2 * costs->n_nodes);
  scale_times (costs->groups, 2 * costs->n_groups);
  scale_times (costs->feeds, 2 * costs->n_tensors);
  scale_times (costs->fetches, 2 * costs->n_tensors);
}

/* The fewest copies, if noise covers them; the cut at the price that the plan
 * names. */
static void
test_brute_force (void)
{
  const int n_rounds = 200;
  int n_tied = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      TpTestSpec spec
          = tp_test_spec_together (g_test_rand_int_range (2, MAX_OPS));
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPlan) plan = NULL;

      test = tp_test_case_new (&spec);
      test->costs->is_same_silicon = round % 2 == 0;
      scale_all (test);
      tp_test_case_spread (test, round % 3 == 0 ? 0.9 : 0.5);
      plan = tp_test_place_within_noise (test, "time");
      tp_test_assert_checked (plan, test->graph);
      check_against_all (test, plan, &n_tied);
    }
  g_test_message ("%d ties", n_tied);
  g_assert_cmpint (n_tied, >, n_rounds / 10);
}

/* A margin is what the cheapest placement with that op elsewhere costs more, the
 * price included. */
static void
test_margins (void)
{
  for (int round = 0; round < 40; round++)
    {
      TpTestSpec spec = tp_test_spec_together (6);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autofree Placement *list = NULL;
      g_autoptr (TpPlan) plan = NULL;
      gint64 price;

      tp_test_case_spread (test, 0.3);
      plan = tp_test_place_within_noise (test, "time");
      price = plan->tie_price_ns;
      list = list_placements (test);
      g_assert_true (tp_place_margins (plan, test->graph, NULL));
      for (int i = 0; i < plan->n_placements; i++)
        {
          const TpPlacement *it = &plan->placements[i];
          gint64 least = G_MAXINT64, here = G_MAXINT64;

          for (guint set = 0; set < 1u << 6; set++)
            {
              gint64 cost = list[set].cost;
              gint64 *at = list[set].devices[i] == it->device ? &here : &least;

              if (cost != TP_COST_NONE)
                *at = MIN (*at, cost + price * list[set].n_copies);
            }
          g_assert_cmpint (it->margin_ns, ==,
                           least == G_MAXINT64 ? -1 : least - here);
        }
    }
}

/* Equal arguments, equal bytes; and what is large is proved too. */
static void
test_large (void)
{
  for (int round = 0; round < 20; round++)
    {
      TpTestSpec spec = tp_test_spec_together (400);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) first = NULL;
      g_autoptr (TpPlan) second = NULL;
      g_autofree char *a = NULL;
      g_autofree char *b = NULL;

      tp_test_case_spread (test, 0.2);
      first = tp_test_place_within_noise (test, "time");
      second = tp_test_place_within_noise (test, "time");
      tp_test_assert_checked (first, test->graph);
      a = tp_plan_to_json (first, test->graph);
      b = tp_plan_to_json (second, test->graph);
      g_assert_cmpstr (a, ==, b);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tie/exact", test_exact);
  g_test_add_func ("/tie/brute-force", test_brute_force);
  g_test_add_func ("/tie/margins", test_margins);
  g_test_add_func ("/tie/large", test_large);
  return g_test_run ();
}
