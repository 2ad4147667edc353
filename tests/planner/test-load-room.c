/* test-load-room.c: what the busiest engine carries at least where one run has to fit into
 * limits of memory: what is proved of it, and that neither checker takes anything else. That
 * none that fits carries less, of all there are, is for test-room. */
#include "config.h"

#include "ir/plan-memory.h"
#include "lies.h"
#include "memory-case.h"
#include "planner/check/check.h"
#include "planner/place.h"

#include <string.h>

static TpPlan *
place (const TpTestCase *test, const gint64 *limits)
{
  const TpPlaceOptions options
      = { .objective = "throughput", .limits = limits };
  TpPlan *plan = tp_place_with (test->graph, test->groups, test->costs,
                                &options, NULL);

  if (plan != NULL)
    tp_plan_count_memory (plan, test->graph);
  return plan;
}

/* Within some of what the plan without limits takes; NULL: nothing is known of what fits, or
 * nothing does. */
static TpPlan *
place_tight (const TpTestCase *test)
{
  g_autoptr (TpPlan) free = place (test, NULL), plan = NULL;
  g_autofree guint8 *devices = tp_test_plan_devices (free);
  gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
  gint64 bytes[TP_TEST_MAX_DEVICES];

  tp_memory_case_count (test, devices, bytes);
  for (int d = 1; d < free->n_devices; d++)
    limits[d] = bytes[d] * g_test_rand_int_range (30, 90) / 100 + 1;
  plan = place (test, limits);
  return plan == NULL || plan->load_proof->room == NULL
             ? NULL
             : g_steal_pointer (&plan);
}

static TpTestCase *
new_case (int round)
{
  int n_ops = g_test_rand_int_range (4, 16);
  TpTestCase *test = round % 2 == 0 ? tp_memory_case_new (n_ops)
                                    : tp_memory_case_new_for (3, n_ops);

  /* its figures are not those that the graph gives */
  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  tp_costs_seal (test->costs);
  return test;
}

static void
test_good (void)
{
  int n = 0, n_several = 0, n_near = 0;

  for (int round = 0; round < 400; round++)
    {
      g_autoptr (TpTestCase) test = new_case (round);
      g_autoptr (TpPlan) plan = place_tight (test);
      const TpLoadProof *proof;

      if (plan == NULL)
        continue;
      proof = plan->load_proof;
      tp_test_assert_checked (plan, test->graph);
      g_assert_cmpint (proof->room->bound_ns, >, proof->bound_ns);
      g_assert_cmpint (proof->room->bound_ns, <=, proof->load_ns);
      n++;
      n_several += plan->n_devices > 2;
      n_near += 10 * (proof->load_ns - proof->room->bound_ns) <= proof->load_ns;
    }
  g_test_message ("%d, %d of them on three devices; %d within a tenth", n,
                  n_several, n_near);
  g_assert_cmpint (n, >, 100);
  g_assert_cmpint (n_several, >, 20);
  g_assert_cmpint (n_near, >, n / 4);
}

/* ---- lies -------------------------------------------------------------------- */

static gboolean
raise_bound (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->room->bound_ns++;
  return TRUE;
}

static gboolean
lower_bound (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->room->bound_ns--;
  return TRUE;
}

static gboolean
free_engine (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  proof->room->weights[g_test_rand_int_range (0, proof->n_engines)] = 0;
  return TRUE;
}

static gboolean
negative_weight (TpPlan *plan, const TpTestCase *test)
{
  plan->load_proof->room->weights[0] = -1;
  return TRUE;
}

/* What was proved by others. */
static gboolean
other_weights (TpPlan *plan, const TpTestCase *test)
{
  TpLoadProof *proof = plan->load_proof;

  for (int e = 0; e < proof->n_engines; e++)
    proof->room->weights[e] = 1 + (e == 1) * (1 << 20);
  return proof->room->bound_ns > 1;
}

static gboolean
raise_sum (TpPlan *plan, const TpTestCase *test)
{
  const TpLoadProof *proof = plan->load_proof;
  TpRoomProof *room = proof->room;
  gint64 sum = 0;

  for (int e = 0; e < proof->n_engines; e++)
    sum += room->weights[e];
  *(room->tree != NULL ? &room->tree->bound_ns : &room->shares->room_ns)
      += 100 * sum;
  room->bound_ns = MIN (room->bound_ns + 100, proof->load_ns);
  return TRUE;
}

static gboolean
no_limits (TpPlan *plan, const TpTestCase *test)
{
  g_clear_pointer (&plan->memory_limits, g_free);
  return TRUE;
}

static gboolean
no_proof (TpPlan *plan, const TpTestCase *test)
{
  TpRoomProof *room = plan->load_proof->room;

  if (room->tree != NULL)
    {
      tp_array_set_size (room->tree->entries, 0);
      return TRUE;
    }
  tp_array_set_size (room->shares->room->rows, 0);
  tp_array_set_size (room->shares->prices, 0);
  return TRUE;
}

static const TpTestMutation mutations[] = {
  { "raise-bound", raise_bound },     { "lower-bound", lower_bound },
  { "free-engine", free_engine },     { "negative", negative_weight },
  { "other-weights", other_weights }, { "raise-sum", raise_sum },
  { "no-limits", no_limits },         { "no-proof", no_proof },
  { NULL, NULL },
};

static TpPlan *
place_any (const TpTestCase *test, int round)
{
  return place_tight (test);
}

static const TpTestLies lies
    = { mutations, new_case, place_any, 40, 5 };

static void
test_lies (void)
{
  tp_test_lies_check (&lies);
}

static void
test_second (void)
{
  tp_test_lies_check_second (&lies);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/load-room/good", test_good);
  g_test_add_func ("/load-room/lies", test_lies);
  g_test_add_func ("/load-room/second", test_second);
  return g_test_run ();
}
