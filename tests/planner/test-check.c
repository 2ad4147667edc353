/* test-check.c: the checker takes every plan of the planner, and none of them
 * with any one thing changed. */
#include "config.h"

#include "chain-case.h"
#include "doubt.h"
#include "mutations.h"
#include "place-case.h"
#include "planner/check/check.h"
#include "planner/place.h"
#include "random-rates.h"

#include <string.h>

static gboolean
check (const TpPlan *plan, const TpTestCase *test, GPtrArray *reasons)
{
  gboolean is_good = tp_check (plan, test->graph, reasons);

  g_assert_cmpint (is_good, ==, reasons->len == 0);
  return is_good;
}

/* With @spread_ns more noise: half of the plans then break a tie. */
static TpPlan *
place (const TpTestCase *test, gint64 spread_ns)
{
  TpCosts *costs = test->costs;

  for (int i = 0; i < 2 * costs->n_nodes; i++)
    if (costs->nodes[i].time_ns != TP_COST_NONE)
      costs->nodes[i].spread_ns += spread_ns;
  if (g_test_rand_bit ())
    costs->errors = tp_test_errors_new ();
  costs->is_same_silicon = g_test_rand_bit ();
  costs->has_own_processors = costs->is_same_silicon && g_test_rand_bit ();
  tp_costs_seal (costs);
  return tp_place_within_noise (test->graph, test->groups, costs, "time",
                                NULL);
}

/* Whether @mutation had something to change in @plan, which is good; then nobody may
 * take it. */
static gboolean
spoil (const TpTestMutation *mutation, TpPlan *plan, const TpTestCase *test)
{
  g_autoptr (GPtrArray) after = g_ptr_array_new_with_free_func (g_free);

  tp_test_assert_checked (plan, test->graph);
  if (!mutation->mutate (plan, test))
    return FALSE;
  if (check (plan, test, after))
    {
      g_test_message ("%s was taken", mutation->name);
      g_test_fail ();
    }
  return TRUE;
}

static void
test_mutation (gconstpointer data)
{
  const TpTestMutation *mutation = data;
  int n_wanted = tp_test_count_rounds (10, 25), n_done = 0;

  for (int round = 0; round < 1000 && n_done < n_wanted; round++)
    {
      TpTestSpec spec = { .n_ops = g_test_rand_int_range (2, 22), .max_cost = 60,
                          .has_pins = TRUE, .has_gaps = TRUE,
                          .has_groups = TRUE, .host = round % 3 - 1,
                          .has_kernels = g_test_rand_bit () };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = place (test, round % 2 ? 20 : 0);

      n_done += spoil (mutation, plan, test);
    }
  g_assert_cmpint (n_done, >=, 5);
}

/* Whether it changes the proof of throughput alone. */
static gboolean
is_of_load (const TpTestMutation *mutation)
{
  for (const TpTestMutation *it = tp_test_load_mutations; it->name != NULL; it++)
    if (it == mutation)
      return TRUE;
  return FALSE;
}

static void
test_load_mutation (gconstpointer data)
{
  const TpTestMutation *mutation = data;
  int n_wanted = tp_test_count_rounds (10, 25), n_done = 0;

  for (int round = 0; round < 1000 && n_done < n_wanted; round++)
    {
      TpTestSpec spec = tp_test_spec_steady (g_test_rand_int_range (2, 22));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;
      g_autoptr (GPtrArray) after = g_ptr_array_new_with_free_func (g_free);

      tp_test_case_doubt (test);
      plan = tp_test_place (test, "throughput");
      tp_test_assert_checked (plan, test->graph);
      if (!mutation->mutate (plan, test))
        continue;
      n_done++;
      if (check (plan, test, after))
        {
          g_test_message ("mutation %d was taken", n_done);
          g_test_fail ();
        }
      for (guint i = 0; is_of_load (mutation) && i < after->len; i++)
        g_assert_false (g_str_has_prefix (after->pdata[i], "flows["));
    }
  g_assert_cmpint (n_done, >=, 5);
}

static void
test_span_mutation (gconstpointer data)
{
  const TpTestMutation *mutation = data;
  int n_wanted = tp_test_count_rounds (10, 25), n_done = 0;
  int n_enough = tp_test_count_rounds (300, 5000); /* if there was one */

  for (int round = 0; round < (n_done > 0 ? n_enough : 5000)
                      && n_done < n_wanted; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_chain_case_new (12);
      g_autoptr (TpPlan) plan = NULL;

      if (round % 2)
        tp_test_case_slow (test);
      tp_test_case_doubt (test);
      plan = tp_test_place (test, "makespan");

      n_done += spoil (mutation, plan, test);
    }
  g_assert_cmpint (n_done, >=, 1); /* chains that overlap are rare */
}

/* Of energy, price, and of both and time. */
static void
test_rated_mutation (gconstpointer data)
{
  static const gint64 aims[TP_N_AIMS] = { 5, 2, 1 };
  static const char *const names[] = { "energy", "price", "weighted" };
  const TpTestMutation *mutation = data;
  int n_wanted = tp_test_count_rounds (10, 25), n_done = 0;

  for (int round = 0; round < 1000 && n_done < n_wanted; round++)
    {
      const TpPlaceOptions options
          = { .objective = names[round % 3],
              .aims = round % 3 == 2 ? aims : NULL };
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (2, 22));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = NULL;

      tp_test_case_rate (test);
      plan = tp_place_with (test->graph, test->groups, test->costs, &options,
                            NULL);
      n_done += spoil (mutation, plan, test);
    }
  g_assert_cmpint (n_done, >=, 5);
}

static void
test_share_mutation (gconstpointer data)
{
  const TpTestMutation *mutation = data;
  int n_wanted = tp_test_count_rounds (10, 25), n_done = 0;

  for (int round = 0; round < 1000 && n_done < n_wanted; round++)
    {
      g_autoptr (TpTestCase) test = tp_test_share_case_new (round);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");

      n_done += spoil (mutation, plan, test);
    }
  g_assert_cmpint (n_done, >=, 5);
}

/* Of two devices and of more, within limits of memory; of more, without. */
typedef enum { TIGHT, ROOM, SHARED } Kind;

/* How often @mutation had something to change. */
static int
count_spoilt (const TpTestMutation *mutation, Kind kind)
{
  int n_wanted = tp_test_count_rounds (4, 10), n_done = 0;

  for (int round = 0; round < 100 && n_done < n_wanted; round++)
    {
      g_autoptr (TpTestCase) test = kind == TIGHT  ? tp_test_tight_case_new ()
                                    : kind == ROOM
                                        ? tp_test_room_case_new (round)
                                        : tp_test_share_case_new (round);
      g_autoptr (TpPlan) plan
          = kind == TIGHT  ? tp_test_place_tight (test)
            : kind == ROOM ? tp_test_place_in_room (test)
                           : tp_place (test->graph, test->groups, test->costs,
                                       "time", NULL);

      if (plan == NULL)
        continue;
      n_done += spoil (mutation, plan, test);
    }
  return n_done;
}

/* Of @mutations; not every kind has something to change in every kind of plan. */
static int
count_kinds (const TpTestMutation *mutations, Kind kind)
{
  int n_kinds = 0;

  for (const TpTestMutation *it = mutations; it->name != NULL; it++)
    n_kinds += count_spoilt (it, kind) > 0;
  g_test_message ("%d kinds", n_kinds);
  return n_kinds;
}

/* All of them have something to change. */
static void
check_all_kinds (const TpTestMutation *mutations, Kind kind)
{
  int n = 0;

  while (mutations[n].name != NULL)
    n++;
  g_assert_cmpint (count_kinds (mutations, kind), ==, n);
}

static void
test_tight_mutations (void)
{
  check_all_kinds (tp_test_memory_mutations, TIGHT);
  check_all_kinds (tp_test_bound_mutations, TIGHT);
  g_assert_cmpint (count_kinds (tp_test_part_mutations, TIGHT), >=, 20);
  g_assert_cmpint (count_kinds (tp_test_proof_mutations, TIGHT), >=, 20);
}

static void
test_room_mutations (void)
{
  check_all_kinds (tp_test_room_mutations, ROOM);
  g_assert_cmpint (count_kinds (tp_test_part_mutations, ROOM), >=, 20);
}

static void
test_share_parts (void)
{
  g_assert_cmpint (count_kinds (tp_test_part_mutations, SHARED), >=, 20);
}

/* A plan for one graph says nothing of another. */
static void
test_other_graph (void)
{
  TpTestSpec spec = { .n_ops = 8, .max_cost = 60 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpTestCase) same_size = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  g_assert_false (tp_check (plan, same_size->graph, reasons));
  g_assert_cmpuint (reasons->len, >, 0);
}

/* What was there stays, and many faults do not flood. */
static void
test_reasons (void)
{
  TpTestSpec spec = { .n_ops = 300, .max_cost = 60 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (reasons, g_strdup ("kept"));
  g_assert_true (tp_check (plan, test->graph, reasons));
  for (int i = 0; i < plan->n_placements; i++)
    plan->placements[i].time_ns++;
  g_assert_false (tp_check (plan, test->graph, reasons));
  g_assert_cmpstr (reasons->pdata[0], ==, "kept");
  g_assert_cmpuint (reasons->len, <, 80);
}

/* Of that many figures another thread works on the digest. */
static void
test_large (void)
{
  TpTestSpec spec = { .n_ops = 12000, .max_cost = 60 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  char *digit = plan->costs_digest;

  g_assert_true (tp_check (plan, test->graph, reasons));
  *digit = *digit == '0' ? '1' : '0';
  g_assert_false (tp_check (plan, test->graph, reasons));
  g_assert_cmpuint (reasons->len, ==, 1);
  g_assert_nonnull (strstr (reasons->pdata[0], "costs have digest"));
  g_ptr_array_set_size (reasons, 0);
  plan->n_devices = 1;
  g_assert_false (tp_check (plan, test->graph, reasons));
  plan->n_devices = 2;
}

/* The reason says which kind, and what to do. */
static void
test_unknown_certificate (void)
{
  TpTestSpec spec = { .n_ops = 8, .max_cost = 60 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  g_autoptr (TpPlan) plan = tp_test_place (test, "time");
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  g_assert_cmpstr (plan->certificate, ==, "min-cut");
  g_free (plan->certificate);
  plan->certificate = g_strdup ("simplex");
  g_assert_false (tp_check (plan, test->graph, reasons));
  g_assert_cmpuint (reasons->len, ==, 1);
  g_assert_nonnull (strstr (reasons->pdata[0], "'simplex'"));
  g_assert_nonnull (strstr (reasons->pdata[0], "plan again"));
}

static void
add_mutations (const char *folder, const TpTestMutation *mutations,
               GTestDataFunc test)
{
  for (const TpTestMutation *it = mutations; it->name != NULL; it++)
    {
      g_autofree char *path = g_strconcat (folder, it->name, NULL);

      g_test_add_data_func (path, it, test);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_mutations ("/check/", tp_test_part_mutations, test_mutation);
  add_mutations ("/check/", tp_test_proof_mutations, test_mutation);
  add_mutations ("/check/", tp_test_tie_mutations, test_mutation);
  add_mutations ("/check/", tp_test_interval_mutations, test_mutation);
  add_mutations ("/check/", tp_test_load_mutations, test_load_mutation);
  add_mutations ("/check/load/", tp_test_part_mutations, test_load_mutation);
  add_mutations ("/check/", tp_test_span_mutations, test_span_mutation);
  add_mutations ("/check/span/", tp_test_part_mutations, test_span_mutation);
  add_mutations ("/check/rated/", tp_test_rated_mutations,
                 test_rated_mutation);
  add_mutations ("/check/rated/", tp_test_part_mutations, test_rated_mutation);
  add_mutations ("/check/", tp_test_share_mutations, test_share_mutation);
  g_test_add_func ("/check/share-parts", test_share_parts);
  g_test_add_func ("/check/tight", test_tight_mutations);
  g_test_add_func ("/check/room", test_room_mutations);
  g_test_add_func ("/check/other-graph", test_other_graph);
  g_test_add_func ("/check/reasons", test_reasons);
  g_test_add_func ("/check/large", test_large);
  g_test_add_func ("/check/unknown-certificate", test_unknown_certificate);
  return g_test_run ();
}
