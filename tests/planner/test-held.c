/* test-held.c: what the planner says that ops hold in memory, so do both checkers,
 * which share nothing with it. */
#include "config.h"

#include "memory-case.h"

#include "format/plan-save.h"
#include "ir/plan-memory.h"
#include "planner/check/check-held.h"
#include "planner/limit-layout.h"
#include "planner/limit-questions.h"
#include "planner/load-alive.h"
#include "planner/place.h"

#include <glib/gstdio.h>
#include <string.h>

#define ROUNDS 60

static TpTestCase *
new_case (int round)
{
  int n_ops = g_test_rand_int_range (2, 14);
  TpTestCase *test = round % 6 == 0 ? tp_memory_case_new (n_ops)
                     : round % 6 == 3
                         ? tp_memory_case_new_claimed (2, n_ops)
                     : round % 3 == 1
                         ? tp_memory_case_new_together (2, n_ops)
                         : tp_memory_case_new_streamed (n_ops, n_ops);

  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0; /* its figures are others */
  return test;
}

static TpProblem *
new_problem (const TpTestCase *test, const gint64 *limits)
{
  g_autoptr (GError) error = NULL;
  TpProblem *problem
      = tp_problem_new (test->graph, test->groups, test->costs, "time", &error);

  g_assert_no_error (error);
  problem->limits = limits;
  return problem;
}

/* ---- the checker ---------------------------------------------------------- */

/* What it asks of @plan to know what is held. */
static void
checker_init (TpChecker *checker, const TpTestCase *test, TpPlan *plan,
              const TpProblem *problem)
{
  const TpGroups *groups = test->groups;

  *checker = (TpChecker){ .plan = plan, .graph = test->graph,
                          .costs = test->costs };
  checker->gains = g_new0 (gint64, 2 * groups->n_groups + 1);
  checker->group_of = g_new (int, test->graph->n_nodes + 1);
  for (int i = 0; i < test->graph->n_nodes; i++)
    checker->group_of[i] = -1;
  for (int g = 0; g < groups->n_groups; g++)
    {
      for (int k = 0; k < groups->groups[g].n_nodes; k++)
        checker->group_of[groups->groups[g].nodes[k]] = g;
      for (int d = 0; d < 2; d++)
        checker->gains[2 * g + d] = tp_problem_get_gain (problem, g, d);
    }
}

static void
checker_clear (TpChecker *checker)
{
  g_free (checker->gains);
  g_free (checker->group_of);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpChecker, checker_clear)

static void
compare (const TpLimitModel *model, TpCheckerHeld *held, int tensor, int device,
         int step)
{
  int n;
  gint64 bytes
      = tp_limit_held_find (&model->held, tensor, device, step, &n);
  gint64 other = tp_checker_held_find (held, tensor, device, step);

  g_assert_cmpint (bytes == 0 ? 0 : n, ==, other == 0 ? 0 : held->n_ops);
  if (n == 0 || bytes == 0)
    return;
  g_assert_cmpint (bytes, ==, other);
  g_assert_cmpint (memcmp (model->held.found, held->ops, n * sizeof (int)), ==, 0);
}

static void
test_checker (void)
{
  for (int round = 0; round < 6 * ROUNDS; round++)
    {
      const gint64 limits[2] = { 1 << 20, 1 << 20 };
      g_autoptr (TpTestCase) test = new_case (round);
      g_autoptr (TpPlan) plan = tp_memory_case_place (test, NULL, 0);
      g_autoptr (TpProblem) problem = new_problem (test, limits);
      g_autoptr (TpLimitModel) model = tp_limit_model_new (problem);
      g_auto (TpChecker) checker = { 0 };
      g_auto (TpCheckerHeld) held = { 0 };

      checker_init (&checker, test, plan, problem);
      tp_checker_held_init (&held, &checker);
      for (int t = 0; t < test->graph->n_tensors; t++)
        for (int d = 0; d < 2; d++)
          for (int step = 0; step < test->graph->n_nodes; step++)
            compare (model, &held, t, d, step);
    }
}

/* ---- the second checker --------------------------------------------------- */

/* Of the placement of each plan, a line for each step: what is held on both devices. */
static const char second[]
    = "import json, sys\n"
      "sys.path.insert(0, sys.argv[1])\n"
      "from check_memory import Limited\n"
      "for path in sys.argv[2:]:\n"
      "    c = Limited(open(path).read())\n"
      "    at = c.where\n"
      "    for step in range(len(at)):\n"
      "        print(*[sum(size for _, size, ops in c.held(d, step)\n"
      "                    if any(at[o] == d for o in ops)) for d in (0, 1)])\n";

static void
append_held (const TpTestCase *test, const TpPlan *plan, GString *out)
{
  g_autoptr (TpProblem) problem = new_problem (test, plan->memory_limits);
  g_autoptr (TpLimitModel) model = tp_limit_model_new (problem);
  g_autofree gint8 *devices = g_new (gint8, test->graph->n_nodes + 1);

  for (int i = 0; i < plan->n_placements; i++)
    devices[plan->placements[i].node] = plan->placements[i].device;
  for (int step = 0; step < test->graph->n_nodes; step++)
    g_string_append_printf (
        out, "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
        tp_limit_held_sum (&model->held, devices, 0, step),
        tp_limit_held_sum (&model->held, devices, 1, step));
}

/* Plans into @folder, their paths to @argv. */
static void
write_plans (const char *folder, GPtrArray *argv, GString *expected)
{
  for (int round = 0; round < 6 * ROUNDS; round++)
    {
      g_autoptr (TpTestCase) test = new_case (round);
      gint64 limits[2];
      g_autoptr (TpPlan) plan = tp_memory_case_place_tight (test, 0, limits);
      char *path;

      if (plan == NULL)
        continue;
      tp_plan_count_memory (plan, test->graph);
      path = g_strdup_printf ("%s/%d.json", folder, round);
      g_assert_true (tp_plan_save (plan, test->graph, path, NULL));
      g_ptr_array_add (argv, path);
      append_held (test, plan, expected);
    }
}

static void
test_second (void)
{
  g_autofree char *python = g_find_program_in_path ("python3");
  g_autofree char *folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  g_autofree char *out = NULL;
  g_autoptr (GPtrArray) argv = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) expected = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (python == NULL)
    {
      g_rmdir (folder);
      g_test_skip ("no python3");
      return;
    }
  g_ptr_array_add (argv, g_strdup (python));
  g_ptr_array_add (argv, g_strdup ("-c"));
  g_ptr_array_add (argv, g_strdup (second));
  g_ptr_array_add (argv, g_test_build_filename (G_TEST_DIST, "..", NULL));
  write_plans (folder, argv, expected);
  g_assert_cmpuint (argv->len, >, 14);
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL,
                NULL, &out, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (strcmp (out, expected->str) == 0);
  for (guint i = 4; i + 1 < argv->len; i++)
    g_remove (argv->pdata[i]);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* ---- what is alive --------------------------------------------------------- */

/* Returns whether any group is one kernel. */
static gboolean
check_alive (TpLoadAlive *alive, const TpProblem *problem, const guint8 *devices)
{
  g_auto (TpLimitLayout) layout = { 0 };
  const TpExecution *execution;
  double taken[2];

  tp_limit_layout_init (&layout, problem);
  execution = tp_limit_layout_get (&layout, (const gint8 *) devices);
  if (execution == NULL)
    return FALSE;
  tp_load_alive_measure (alive, devices, taken);
  for (int d = 0; d < 2; d++)
    g_assert_cmpfloat (taken[d], ==,
                       (double) (execution->memory[d].bound_bytes
                                 + execution->memory[d].weight_bytes));
  return layout.groups.n_groups > 0;
}

/* The search for throughput counts what is alive at once as who spells runs out does, where
 * nothing is streamed, of one placement after the other. */
static void
test_alive (void)
{
  int n_fused = 0;

  for (int round = 0; round < 6 * ROUNDS; round++)
    {
      const gint64 limits[2] = { 1, 1 };
      g_autoptr (TpTestCase) test = new_case (round);
      g_autoptr (TpProblem) problem = new_problem (test, limits);
      g_auto (TpLimitHeld) held = { 0 };
      g_auto (TpLoadAlive) alive = { 0 };
      g_autofree guint8 *devices = g_new0 (guint8, test->graph->n_nodes + 1);

      tp_limit_held_init (&held, problem);
      tp_load_alive_init (&alive, &held);
      for (int turn = 0; turn < 4 && round % 3 != 2; turn++)
        {
          for (int i = 0; i < test->graph->n_nodes; i++)
            if (turn == 0 || g_test_rand_int_range (0, 3) == 0)
              tp_problem_move (problem, &i,
                               g_test_rand_int_range (0, 8) < round % 9, devices);
          n_fused += check_alive (&alive, problem, devices);
        }
    }
  g_assert_cmpint (n_fused, >, ROUNDS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/held/checker", test_checker);
  g_test_add_func ("/held/second", test_second);
  g_test_add_func ("/held/alive", test_alive);
  return g_test_run ();
}
