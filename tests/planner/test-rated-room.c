/* test-rated-room.c: the least energy and the least price of what fits into limits of
 * memory, on three devices and more, against all placements: none that fits takes less than
 * is proved, few less than what was found; and neither checker takes what is not so. */
#include "config.h"

#include "ir/plan-memory.h"
#include "lies.h"
#include "memory-case.h"
#include "random-rates.h"
#include "rated-case.h"
#include "rounds.h"

/* Every third by prices on what is held, no sweeps. */
static int
count_cuts (int round)
{
  return round % 3 == 2 ? TP_MEMORY_CASE_CUTS : 0;
}

/* What runs on @device counts nothing. */
static void
make_free (const TpTestCase *test, int device)
{
  for (int d = 0; d < test->costs->n_devices; d++)
    {
      test->costs->rates[d].idle_mw = 0;
      test->costs->rates[d].is_per_use = TRUE;
    }
  test->costs->rates[device].busy_mw = 0;
  test->costs->rates[device].price = 0;
  tp_costs_seal (test->costs);
}

/* Of some devices, so much of what the plan without them takes. */
static void
draw_limits (const TpTestCase *test, const TpPlan *free, int first,
             gint64 *limits)
{
  g_autofree guint8 *devices = tp_test_plan_devices (free);
  gint64 bytes[TP_TEST_MAX_DEVICES];

  tp_memory_case_count (test, devices, bytes);
  for (int d = first; d < test->costs->n_devices; d++)
    limits[d] = bytes[d] * g_test_rand_int_range (10, 90) / 100 + 1;
}

static TpTestCase *
new_limited_case (int round, int n_ops)
{
  int n_devices = 3 + round / 5 % 2;
  TpTestCase *test
      = round % 3 == 0   ? tp_memory_case_new_together (n_devices, n_ops)
        : round % 3 == 1 ? tp_memory_case_new_claimed (n_devices, n_ops)
                         : tp_memory_case_new_for (n_devices, n_ops);

  for (int i = 0; i < test->graph->n_nodes; i++)
    test->graph->nodes[i].n_costs = 0;
  tp_test_case_rate (test);
  if (round % 5 < 2 && round / 10 % 2 == 0)
    make_free (test, 1 + round / 20 % (n_devices - 1));
  return test;
}

typedef struct
{
  int n_bound, n_least, n_lost, n_known, n_swept, n_proved, n_parts;
} Found;

static void
check_limited (const TpTestCase *test, int round, const gint64 *limits,
               Found *found)
{
  g_autoptr (GError) error = NULL;
  const gint64 *aims = tp_rated_case_get_aims (round);
  g_autoptr (TpPlan) plan
      = tp_rated_case_place (test, round, limits, count_cuts (round), &error);
  gint64 least = tp_rated_case_try_all (test, aims, limits);
  const TpRateProof *proof;

  found->n_lost += plan == NULL && least != TP_COST_NONE;
  if (plan == NULL)
    {
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE);
      return;
    }
  proof = plan->rate_proof;
  g_assert_true (tp_plan_fits (plan, limits));
  tp_rated_case_check (plan, test, aims);
  g_assert_cmpint (proof->bound, <=, least);
  g_assert_cmpint (proof->cost, >=, least);
  if (plan->memory_limits == NULL)
    return;
  found->n_bound++;
  found->n_least += proof->cost == least;
  if (proof->room == NULL)
    return;
  g_assert_cmpint (proof->room->bound_ns, <=, least);
  g_assert_cmpint (proof->room->bound_ns, >=, proof->bound);
  found->n_known++;
  found->n_parts += proof->fitting->len > 1;
  if (count_cuts (round) > 0)
    return;
  found->n_swept++;
  found->n_proved += proof->room->bound_ns == proof->cost;
}

static void
test_limits (void)
{
  int n_rounds = tp_test_count_rounds (150, 1500);
  Found found = { 0 };

  for (int round = 0; round < n_rounds; round++)
    {
      g_autoptr (TpTestCase) test
          = new_limited_case (
              round, g_test_rand_int_range (2, TP_RATED_CASE_OPS + 1));
      gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };
      g_autoptr (TpPlan) free = tp_rated_case_place_free (test, round);

      draw_limits (test, free, round % 4 != 0, limits);
      check_limited (test, round, limits, &found);
    }
  g_test_message ("of %d whose limits bind %d take the least that fits, %d not "
                  "found; of %d something is known, of %d in parts; of %d swept "
                  "%d are proved",
                  found.n_bound, found.n_least, found.n_lost, found.n_known,
                  found.n_parts, found.n_swept, found.n_proved);
  g_assert_cmpint (found.n_bound, >, n_rounds / 3);
  g_assert_cmpint (found.n_least, >=, found.n_bound * 9 / 10);
  g_assert_cmpint (found.n_lost, <=, n_rounds / 50);
  g_assert_cmpint (found.n_known, >=, found.n_bound * 9 / 10);
  g_assert_cmpint (found.n_proved, >=, found.n_swept * 8 / 10);
  g_assert_cmpint (found.n_parts, >, 0);
}

/* ---- lies ------------------------------------------------------------------- */

static TpPlan *
place_room (const TpTestCase *test, int round)
{
  g_autoptr (TpPlan) free = tp_rated_case_place_free (test, round), plan = NULL;
  gint64 limits[TP_TEST_MAX_DEVICES + 1] = { 0 };

  draw_limits (test, free, round % 4 != 0, limits);
  plan = tp_rated_case_place (test, round, limits, count_cuts (round), NULL);
  return plan == NULL || plan->rate_proof->room == NULL
             ? NULL
             : g_steal_pointer (&plan);
}

static TpTestCase *
make_any (int round)
{
  return new_limited_case (round, g_test_rand_int_range (3, 9));
}

static const TpTestLies lies
    = { tp_test_fitting_mutations, make_any, place_room, 60, 3 };
static const TpTestLies lies_second
    = { tp_test_fitting_mutations + TP_TEST_FITTING_ALONE, make_any, place_room,
        60, 3 };
static const TpTestLies share_lies
    = { tp_test_fitting_share_mutations, make_any, place_room, 10, 3 };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rated-room/brute-force", test_limits);
  g_test_add_data_func ("/rated-room/lies", &lies, tp_test_lies_check);
  g_test_add_data_func ("/rated-room/second", &lies_second,
                        tp_test_lies_check_second);
  g_test_add_data_func ("/rated-room/share-lies", &share_lies, tp_test_lies_check);
  g_test_add_data_func ("/rated-room/share-second", &share_lies,
                        tp_test_lies_check_second);
  return g_test_run ();
}
