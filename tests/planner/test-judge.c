/* test-judge.c: placements made elsewhere, against what they cost by other code,
 * and all moves there are. */
#include "config.h"

#include "place-case.h"
#include "planner/judge.h"
#include "random-graph.h"

#include <string.h>

#define N_MOVES 10

static gboolean
may_be (const TpTestCase *test, int node, int device)
{
  const TpNode *it = &test->graph->nodes[node];

  return tp_costs_node (test->costs, node, device)->time_ns != TP_COST_NONE
         && (it->pins == NULL
             || g_strv_contains (it->pins, test->costs->devices[device]));
}

/* Each op anywhere it may be. */
static guint8 *
draw (const TpTestCase *test)
{
  int n = test->graph->n_nodes;
  guint8 *devices = g_new0 (guint8, n + 1);

  for (int i = 0; i < n; i++)
    do
      devices[i] = g_test_rand_int_range (0, test->costs->n_devices);
    while (!may_be (test, i, devices[i]));
  return devices;
}

/* @devices with the ops from @first to @last on @device. */
static gint64
cost_of_move (const TpTestCase *test, const guint8 *devices, int first,
              int last, int device)
{
  g_autofree guint8 *moved
      = g_memdup2 (devices, test->graph->n_nodes + 1);

  memset (moved + first, device, last - first + 1);
  return tp_test_case_cost (test, moved);
}

/* What the best run that holds no op of @is_taken gains. */
static gint64
find_most (const TpTestCase *test, const guint8 *devices,
           const gboolean *is_taken)
{
  gint64 cost = tp_test_case_cost (test, devices), most = 0;

  for (int d = 0; d < test->costs->n_devices; d++)
    for (int i = 0; i < test->graph->n_nodes; i++)
      for (int k = i; k < test->graph->n_nodes && !is_taken[k]; k++)
        {
          gint64 moved = cost_of_move (test, devices, i, k, d);

          if (moved != TP_COST_NONE)
            most = MAX (most, cost - moved);
        }
  return most;
}

/* Made in their order, those are kept that gain. */
static void
check_turns (const TpTestCase *test, const guint8 *devices,
             const TpJudgement *it)
{
  g_autofree guint8 *now = g_memdup2 (devices, test->graph->n_nodes + 1);
  gint64 cost = it->cost_ns;

  for (int i = 0; i < it->n_moves; i++)
    {
      const TpMove *move = &it->moves[i];
      gint64 moved = cost_of_move (test, now, move->first, move->last,
                                   move->device);

      g_assert_true (move->is_kept == (moved < cost));
      if (!move->is_kept)
        continue;
      cost = moved;
      memset (now + move->first, move->device, move->last - move->first + 1);
    }
  g_assert_cmpint (cost, ==, it->moved_ns);
}

static void
check_moves (const TpTestCase *test, const guint8 *devices,
             const TpJudgement *it)
{
  int n = test->graph->n_nodes;
  g_autofree gboolean *is_taken = g_new0 (gboolean, n + 1);

  for (int i = 0; i < it->n_moves; i++)
    {
      const TpMove *move = &it->moves[i];
      int n_moved = 0;

      g_assert_cmpint (it->cost_ns
                           - cost_of_move (test, devices, move->first,
                                           move->last, move->device),
                       ==, move->gain_ns);
      g_assert_cmpint (find_most (test, devices, is_taken), ==, move->gain_ns);
      for (int k = move->first; k <= move->last; k++)
        {
          g_assert_false (is_taken[k]);
          is_taken[k] = TRUE;
          n_moved += devices[k] != move->device;
        }
      g_assert_cmpint (n_moved, ==, move->n_moved);
    }
  if (it->n_moves < N_MOVES)
    g_assert_cmpint (find_most (test, devices, is_taken), ==, 0);
  check_turns (test, devices, it);
}

static void
test_random (void)
{
  for (int i = 0; i < 300; i++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 15));
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPlan) plan = NULL;
      g_autoptr (TpJudgement) it = NULL;
      g_autofree guint8 *devices = NULL;
      g_autoptr (GError) error = NULL;

      spec.n_devices = g_test_rand_int_range (2, 5);
      spec.host = g_test_rand_int_range (TP_COSTS_HOST, spec.n_devices);
      test = tp_test_case_new (&spec);
      plan = tp_test_place (test, "time");
      devices = draw (test);
      it = tp_placement_judge (plan, test->graph, devices, N_MOVES, &error);
      g_assert_no_error (error);
      g_assert_cmpint (it->cost_ns, ==, tp_test_case_cost (test, devices));
      g_assert_cmpint (it->copies_ns, ==,
                       tp_test_case_copies (test, devices));
      g_assert_cmpint (it->cost_ns, >=, plan->bound_ns);
      check_moves (test, devices, it);
    }
}

/* Nothing gains where nothing is cheaper. */
static void
test_best (void)
{
  for (int i = 0; i < 100; i++)
    {
      const TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, 200));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");
      g_autofree guint8 *devices = tp_test_plan_devices (plan);
      g_autoptr (TpJudgement) it
          = tp_placement_judge (plan, test->graph, devices, N_MOVES, NULL);

      g_assert_cmpint (it->cost_ns, ==, plan->cost_ns);
      g_assert_cmpint (it->n_copies, ==, plan->n_transfers);
      g_assert_cmpint (it->n_groups, ==, plan->groups->n_groups);
      g_assert_cmpint (it->n_moves, ==, 0);
      g_assert_cmpint (it->moved_ns, ==, plan->cost_ns);
    }
}

/* Runs have a largest length; what is told holds all the same. */
static void
test_large (void)
{
  const TpTestSpec spec = { .n_ops = 20000, .max_cost = 1000, .host = 0 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  g_autofree guint8 *devices = draw (test);
  g_autoptr (TpJudgement) it
      = tp_placement_judge (plan, test->graph, devices, N_MOVES, NULL);

  g_assert_cmpint (it->cost_ns, ==, tp_test_case_cost (test, devices));
  g_assert_cmpint (it->max_ops, <, spec.n_ops);
  g_assert_cmpint (it->n_moves, ==, N_MOVES);
  for (int i = 0; i < it->n_moves; i++)
    {
      const TpMove *move = &it->moves[i];

      g_assert_cmpint (move->last - move->first, <, it->max_ops);
      g_assert_cmpint (it->cost_ns
                           - cost_of_move (test, devices, move->first,
                                           move->last, move->device),
                       ==, move->gain_ns);
    }
}

static void
test_refused (void)
{
  const TpTestSpec spec = { .n_ops = 3, .max_cost = 9 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  const guint8 devices[] = { 0, 1, 0, 0 };
  g_autoptr (GError) error = NULL;

  tp_costs_node (plan->costs, 1, 1)->time_ns = TP_COST_NONE;
  tp_costs_node (plan->costs, 1, 1)->reason = "no kernel";
  g_assert_null (tp_placement_judge (plan, test->graph, devices, N_MOVES,
                                     &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
  g_assert_nonnull (strstr (error->message, test->graph->nodes[1].name));
  g_assert_nonnull (strstr (error->message, "(no kernel)"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/judge/random", test_random);
  g_test_add_func ("/judge/best", test_best);
  g_test_add_func ("/judge/large", test_large);
  g_test_add_func ("/judge/refused", test_refused);
  return g_test_run ();
}
