/* test-share.c: placements on three devices and more. */
#include "config.h"

#include "format/plan-json.h"
#include "place-case.h"
#include "planner/check/check.h"
#include "planner/margin.h"
#include "planner/place.h"
#include "random-graph.h"

#include <string.h>

static TpTestSpec
random_spec (int n_ops, int n_devices)
{
  TpTestSpec spec = tp_test_spec_random (n_ops);

  if (g_test_rand_bit ())
    spec = tp_test_spec_together (n_ops);
  spec.n_devices = n_devices;
  spec.host = g_test_rand_int_range (TP_COSTS_HOST, n_devices);
  return spec;
}

/* The least of all placements: [op * n_devices + device]: of those with the op
 * there. Returns the least of all. */
static gint64
try_all (const TpTestCase *test, gint64 *least)
{
  int n = test->graph->n_nodes, k = test->costs->n_devices;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);
  gint64 best = TP_COST_NONE;

  for (int i = 0; i < n * k; i++)
    least[i] = TP_COST_NONE;
  do
    {
      gint64 cost = tp_test_case_cost (test, devices);

      best = MIN (best, cost);
      for (int i = 0; i < n; i++)
        least[i * k + devices[i]] = MIN (least[i * k + devices[i]], cost);
    }
  while (tp_test_step_devices (devices, n, k));
  return best;
}

static void
check_margins (TpPlan *plan, const TpTestCase *test, const gint64 *least)
{
  int k = plan->n_devices;

  g_assert_true (tp_place_margins (plan, test->graph, NULL));
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];
      gint64 other = TP_COST_NONE;

      for (int d = 0; d < k; d++)
        if (d != it->device)
          other = MIN (other, least[i * k + d]);
      g_assert_cmpint (it->margin_ns >= 0, ==, other != TP_COST_NONE);
      g_assert_cmpint (it->is_margin_least, ==, it->margin_ns >= 0);
      if (it->margin_ns >= 0)
        g_assert_cmpint (it->margin_ns, <=, other - plan->cost_ns);
    }
}

/* Every placement there is. */
static void
test_brute_force (gconstpointer data)
{
  int k = GPOINTER_TO_INT (data), n_margins = 0;

  for (int round = 0; round < 400; round++)
    {
      TpTestSpec spec = random_spec (g_test_rand_int_range (1, k == 3 ? 9 : 7),
                                     k);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      g_autofree guint8 *devices = tp_test_plan_devices (plan);
      g_autofree gint64 *least
          = g_new (gint64, test->graph->n_nodes * k + 1);

      g_assert_cmpint (plan->cost_ns, ==, tp_test_case_cost (test, devices));
      g_assert_cmpint (plan->cost_ns, ==, try_all (test, least));
      g_assert_cmpint (plan->bound_ns, ==, plan->cost_ns);
      tp_test_assert_checked (plan, test->graph);
      check_margins (plan, test, least);
      for (int i = 0; i < plan->n_placements; i++)
        n_margins += plan->placements[i].margin_ns > 0;
    }
  g_assert_cmpint (n_margins, >, 100);
}

/* Limits of memory that do not bind change nothing; what fits nowhere is refused. */
static void
test_limits (void)
{
  TpTestSpec spec = { .n_ops = 8, .n_devices = 3, .max_cost = 60 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  gint64 limits[] = { 1 << 30, 0, 0 };
  TpPlaceOptions options = { .objective = "time", .limits = limits };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = tp_place_with (test->graph, test->groups,
                                           test->costs, &options, &error);
  g_autoptr (TpPlan) tight = NULL;

  g_assert_no_error (error);
  g_assert_null (plan->memory_limits);
  limits[0] = limits[1] = limits[2] = 1;
  tight = tp_place_with (test->graph, test->groups, test->costs, &options,
                         &error);
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
  g_assert_nonnull (strstr (error->message, "no placement fits"));
  g_assert_null (tight);
}

/* Nothing of it depends on what was before. */
static void
test_equal (void)
{
  TpTestSpec spec = { .n_ops = 60, .n_devices = 4, .max_cost = 6,
                      .has_gaps = TRUE, .has_groups = TRUE };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  g_autofree char *text = tp_plan_to_json (plan, test->graph);

  tp_test_assert_checked (plan, test->graph);
  for (int round = 0; round < 20; round++)
    {
      g_autoptr (TpPlan) again = tp_test_place (test, "time");
      g_autofree char *same = tp_plan_to_json (again, test->graph);

      g_assert_cmpstr (text, ==, same);
    }
}

/* Proofs that need a tree are found, and are good. */
static void
test_tree (void)
{
  int n_trees = 0;

  for (int round = 0; round < 2000 && n_trees < 5; round++) /* of 100, one */
    {
      TpTestSpec spec = { .n_ops = 50, .n_devices = 4, .max_cost = 20,
                          .has_gaps = TRUE, .has_groups = TRUE,
                          .has_together = round % 2 == 0 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");

      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (plan->bound_ns, <=, plan->cost_ns);
      n_trees += plan->share_proof->entries->len > 1;
    }
  g_assert_cmpint (n_trees, >=, 3);
}

/* That nothing costs less than nothing needs no proof; that it costs more does. */
static void
test_nothing (void)
{
  TpTestSpec spec = { .n_ops = 12, .n_devices = 3, .max_cost = 20,
                      .has_groups = TRUE };
  int n_refused = 0;

  for (int round = 0; round < 40; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
      TpShareProof *proof = tp_share_proof_new ();

      proof->unit = 1;
      tp_pointers_add (proof->bounds, tp_share_bound_new ());
      tp_array_append_vals (proof->entries, &(TpShareEntry){ FALSE, 0 }, 1);
      tp_share_proof_free (plan->share_proof);
      plan->share_proof = proof;
      plan->bound_ns = 0;
      tp_test_assert_checked (plan, test->graph);
      plan->bound_ns = plan->cost_ns;
      n_refused += !tp_check (plan, test->graph, reasons);
    }
  g_assert_cmpint (n_refused, >, 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/share/brute-force-3", GINT_TO_POINTER (3),
                        test_brute_force);
  g_test_add_data_func ("/share/brute-force-4", GINT_TO_POINTER (4),
                        test_brute_force);
  g_test_add_func ("/share/limits", test_limits);
  g_test_add_func ("/share/equal", test_equal);
  g_test_add_func ("/share/tree", test_tree);
  g_test_add_func ("/share/nothing", test_nothing);
  return g_test_run ();
}
