/* test-pareto-joint.c: all corners of what placements take of time, energy and price
 * together, against all placements. */
#include "config.h"

#include "hull-case.h"
#include "lies.h"
#include "pareto-case.h"
#include "planner/place.h"
#include "random-rates.h"

#include <string.h>

#define MAX_OPS TP_PARETO_CASE_OPS

/* On each face its points weigh the same, and no point weighs less. */
static void
check_faces (const TpPareto *pareto)
{
  for (int i = 0; i < pareto->n_faces; i++)
    {
      const TpParetoFace *face = &pareto->faces[i];
      double least = G_MAXDOUBLE;

      for (int k = 0; k < pareto->n_points; k++)
        {
          const gint64 *totals = pareto->plans[k]->rate_proof->totals;
          const TpHullPoint it = { .at = { totals[0], totals[1], totals[2] } };

          least = MIN (least, tp_hull_case_weigh (&it, face->worth));
        }
      for (int k = 0; k < TP_N_AIMS; k++)
        if (face->points[k] >= 0)
          {
            const gint64 *totals
                = pareto->plans[face->points[k]]->rate_proof->totals;
            const TpHullPoint it = { .at = { totals[0], totals[1], totals[2] } };

            g_assert_cmpfloat (tp_hull_case_weigh (&it, face->worth), <=,
                               least * (1 + 1e-9));
          }
    }
}

static int
count_inner (const TpPareto *pareto)
{
  int n = 0;

  for (int i = 0; i < pareto->n_points; i++)
    {
      const gint64 *aims = pareto->plans[i]->rate_proof->aims;

      n += aims[0] > 0 && aims[1] > 0 && aims[2] > 0;
    }
  return n;
}

static void
test_brute_force (void)
{
  int n_rounds = tp_test_count_rounds (400, 2000), n_found = 0, n_inner = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      int n_ops = g_test_rand_int_range (1, MAX_OPS + 1);
      TpTestSpec spec = round % 2 == 0 ? tp_pareto_case_spec (n_ops)
                        : round % 3 == 0 ? tp_test_spec_together (n_ops)
                                         : tp_test_spec_random (n_ops);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      const TpParetoTask task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      g_autoptr (TpPareto) pareto = NULL;

      tp_test_case_rate (test);
      if (round % 2 == 0)
        tp_pareto_case_loosen (test);
      pareto = tp_pareto_case_find (&task);
      g_assert_true (tp_pareto_case_check (pareto, &task, test));
      g_assert_cmpint (pareto->n_plans, <=,
                       pareto->n_faces + 2 * pareto->n_points + 3);
      check_faces (pareto);
      n_found += pareto->n_points;
      n_inner += count_inner (pareto);
    }
  g_test_message ("%d corners, %d found by weights of all three", n_found,
                  n_inner);
  g_assert_cmpint (n_inner, >, n_rounds / 50);
}

/* On three devices and more; the same points where nothing is left open. */
static void
test_several (void)
{
  int n_rounds = tp_test_count_rounds (150, 1000), n_complete = 0;
  int n_found = 0, n_inner = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      int n_devices = 3 + round % 2;
      int n_ops = g_test_rand_int_range (1, n_devices == 3 ? 7 : 6);
      TpTestSpec spec = round % 4 < 2 ? tp_pareto_case_spec (n_ops)
                                      : tp_test_spec_random (n_ops);
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPareto) pareto = NULL;
      TpParetoTask task;

      spec.n_devices = n_devices;
      spec.host = round % 5 == 0 ? TP_COSTS_HOST : round % n_devices;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      if (round % 4 < 2)
        tp_pareto_case_loosen (test);
      task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      pareto = tp_pareto_case_find (&task);
      n_complete += tp_pareto_case_check (pareto, &task, test);
      n_found += pareto->n_points;
      n_inner += count_inner (pareto);
    }
  g_test_message ("%d corners, %d found by weights of all three; %d of %d are "
                  "complete", n_found, n_inner, n_complete, n_rounds);
  g_assert_cmpint (n_inner, >, n_rounds / 2);
  g_assert_cmpint (n_complete, >=, n_rounds * 9 / 10);
}

/* ---- what is left out ----------------------------------------------------- */

/* The corners of two things are those of the shadow that corners of three throw. */
static void
test_shadow (void)
{
  static const TpAim pairs[][2] = { { TP_AIM_TIME, TP_AIM_ENERGY },
                                    { TP_AIM_TIME, TP_AIM_PRICE },
                                    { TP_AIM_ENERGY, TP_AIM_PRICE } };
  int n_fewer = 0;

  for (int round = 0; round < 60; round++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (8, 25));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      const TpAim *pair = pairs[round % 3];
      const TpParetoTask two = tp_pareto_case_task (test, 2, pair);
      const TpParetoTask three = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      g_autoptr (TpPareto) of_two = NULL, of_three = NULL;
      g_autofree TpHullPoint *points = NULL, *corners = NULL;
      int n;

      tp_test_case_rate (test);
      of_two = tp_pareto_case_find (&two);
      of_three = tp_pareto_case_find (&three);
      n = of_three->n_points;
      points = g_new0 (TpHullPoint, (gsize) n);
      corners = g_new0 (TpHullPoint, (gsize) n);
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
          points[i].at[k] = tp_pareto_case_get_total (of_three, i, (int) pair[k]);
      n = tp_hull_case_keep (points, n, corners);
      g_assert_true (of_two->is_complete && of_three->is_complete);
      g_assert_cmpint (of_two->n_points, ==, n);
      for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
          g_assert_cmpint (tp_pareto_case_get_total (of_two, i, k), ==, corners[i].at[k]);
      n_fewer += n < of_three->n_points;
    }
  g_assert_cmpint (n_fewer, >, 10);
}

static void
set_rates (TpTestCase *test, const TpRate *rate)
{
  for (int d = 0; d < test->costs->n_devices; d++)
    test->costs->rates[d] = *rate;
  tp_costs_seal (test->costs);
}

/* What makes all points the same, or puts them into a line or a plane. */
static void
test_flat (void)
{
  static const struct
  {
    TpRate rate;
    int most;                 /* points there can be; 0: any */
  } cases[] = {
    { { 0 }, 1 },             /* nothing draws or costs anything */
    { { 7, 7, 0, 3, FALSE, FALSE }, 0 }, /* energy is a multiple of time */
    { { 7, 7, 0, 3, TRUE, FALSE }, 1 },  /* all are multiples */
    { { 9, 2, 0, 0, FALSE, FALSE }, 0 }, /* nothing is rented */
    { { 0, 0, 0, 4, FALSE, FALSE }, 0 }, /* nothing is drawn */
    { { 5, 5, 5, 0, TRUE, FALSE }, 0 },
  };

  for (int round = 0; round < 120; round++)
    {
      gsize index = (gsize) round % G_N_ELEMENTS (cases);
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 6));
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPareto) pareto = NULL;
      TpParetoTask task;

      spec.n_devices = 2 + round / 6 % 2;
      spec.host = spec.host < spec.n_devices ? spec.host : 0;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      set_rates (test, &cases[index].rate);
      task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      pareto = tp_pareto_case_find (&task);
      g_assert_true (tp_pareto_case_check (pareto, &task, test)
                     || spec.n_devices > 2);
      if (cases[index].most > 0 && spec.host >= 0)
        g_assert_cmpint (pareto->n_points, <=, cases[index].most);
    }
}

static void
test_one_device (void)
{
  for (int round = 0; round < 20; round++)
    {
      TpTestSpec spec = { .n_ops = g_test_rand_int_range (1, 6),
                          .n_devices = 1, .max_cost = 20 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPareto) pareto = NULL;
      TpParetoTask task;

      tp_test_case_rate (test);
      task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      pareto = tp_pareto_case_find (&task);
      g_assert_true (tp_pareto_case_check (pareto, &task, test));
      g_assert_cmpint (pareto->n_points, ==, 1);
    }
}

static void
test_refused (void)
{
  for (int aim = TP_AIM_ENERGY; aim < TP_N_AIMS; aim++)
    {
      TpTestSpec spec = { .n_ops = 3, .max_cost = 9 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      const TpParetoTask task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      g_autoptr (GError) error = NULL;

      tp_test_case_rate (test);
      if (aim == TP_AIM_ENERGY)
        test->costs->rates[1].busy_mw = TP_RATE_NONE;
      else
        test->costs->rates[1].price = TP_RATE_NONE;
      g_assert_null (tp_pareto_find (&task, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
      g_assert_nonnull (strstr (error->message, tp_aim_get_name (aim)));
    }
}

/* Times so long that weights have to be rounded: what is found is a corner, or nearly,
 * and what may lack no further off than is said. */
static void
test_large (void)
{
  int n_rounds = 60, n_rounded = 0;

  for (int round = 0; round < n_rounds; round++)
    {
      TpTestSpec spec = { .n_ops = 7, .max_cost = 1 << 24, .host = round % 2 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      const TpParetoTask task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      g_autoptr (TpPareto) pareto = NULL;

      tp_test_case_rate (test);
      for (int d = 0; d < 2; d++)
        {
          TpRate *it = &test->costs->rates[d];

          it->idle_mw *= 1013;
          it->busy_mw = it->busy_mw * 1009 + it->idle_mw;
          it->price *= 997;
        }
      tp_costs_seal (test->costs);
      pareto = tp_pareto_case_find (&task);
      tp_pareto_case_check (pareto, &task, test);
      n_rounded += !pareto->is_complete;
      g_assert_cmpfloat (pareto->gap, <, 0.001);
    }
  g_test_message ("weights were rounded in %d of %d", n_rounded, n_rounds);
  g_assert_cmpint (n_rounded, >, 0);
}

static void
check_worth (const TpPareto *pareto, const TpParetoTask *task)
{
  const gint64 aims[] = { g_test_rand_int_range (0, 2000),
                          g_test_rand_int_range (0, 200),
                          g_test_rand_int_range (1, 200) };
  const TpPlaceOptions options = { .objective = "weighted", .aims = aims };
  g_autoptr (TpPlan) plan = tp_place_with (task->graph, task->groups,
                                           task->costs, &options, NULL);
  double least = G_MAXDOUBLE;

  for (int i = 0; i < pareto->n_points; i++)
    {
      const gint64 *totals = pareto->plans[i]->rate_proof->totals;
      gint64 sum = 0;

      for (int k = 0; k < TP_N_AIMS; k++)
        sum += aims[k] * totals[k];
      least = MIN (least, (double) sum);
    }
  g_assert_nonnull (plan);
  g_assert_cmpfloat ((double) plan->rate_proof->cost, >=,
                     least * (1 - pareto->gap) * (1 - 1e-12));
}

/* Of more ops than can be tried: whatever things are worth, the plan for just that takes no
 * less than the best point, but for the gap that is said. */
static void
test_worths (void)
{
  int n_asked = 0;

  for (int round = 0; round < tp_test_count_rounds (12, 40); round++)
    {
      TpTestSpec spec = round % 4 == 0
                            ? tp_test_spec_random (g_test_rand_int_range (12, 26))
                            : tp_pareto_case_spec (g_test_rand_int_range (12, 26));
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPareto) pareto = NULL;
      TpParetoTask task;

      spec.n_devices = 2 + round % 2;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      if (round % 4 != 0)
        tp_pareto_case_loosen (test);
      task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
      pareto = tp_pareto_case_find (&task);
      for (int i = 0; i < 20 && pareto->gap < 0.5; i++, n_asked++)
        check_worth (pareto, &task);
    }
  g_assert_cmpint (n_asked, >, 100);
}

/* ---- lies ------------------------------------------------------------------- */

static TpTestCase *
make_any (int round)
{
  TpTestSpec spec = tp_pareto_case_spec (g_test_rand_int_range (8, 25));
  TpTestCase *test;

  spec.n_devices = 2 + round % 2;
  test = tp_test_case_new (&spec);
  tp_test_case_rate (test);
  tp_pareto_case_loosen (test);
  return test;
}

/* A point that was found by weights of all three. */
static TpPlan *
place_point (const TpTestCase *test, int round)
{
  const TpParetoTask task = tp_pareto_case_task (test, 3, tp_pareto_case_aims);
  g_autoptr (TpPareto) pareto = tp_pareto_case_find (&task);

  for (int i = 0; i < pareto->n_points; i++)
    {
      const gint64 *aims = pareto->plans[i]->rate_proof->aims;

      if (aims[0] > 0 && aims[1] > 0 && aims[2] > 0)
        return tp_plan_ref (pareto->plans[i]);
    }
  return NULL;
}

static gboolean
raise_weight (TpPlan *plan, const TpTestCase *test)
{
  int aim = g_test_rand_int_range (0, TP_N_AIMS);

  plan->rate_proof->aims[aim]++;
  return plan->rate_proof->totals[aim] > 0;
}

static gboolean
swap_weights (TpPlan *plan, const TpTestCase *test)
{
  gint64 *aims = plan->rate_proof->aims, first = aims[0];

  aims[0] = aims[1];
  aims[1] = first;
  return aims[0] != aims[1];
}

static gboolean
drop_weight (TpPlan *plan, const TpTestCase *test)
{
  int aim = g_test_rand_int_range (0, TP_N_AIMS);

  plan->rate_proof->aims[aim] = 0;
  return plan->rate_proof->totals[aim] > 0;
}

TP_TEST_SPOIL (raise_bound, plan->rate_proof->bound++)
TP_TEST_SPOIL_IF (lower_total,
                  plan->rate_proof->totals[pick (TP_N_AIMS)]-- > 0)

static const TpTestMutation mutations[] = {
  { "raise-weight", raise_weight }, { "swap-weights", swap_weights },
  { "drop-weight", drop_weight },   { "raise-bound", raise_bound },
  { "lower-total", lower_total },   { NULL, NULL },
};

static const TpTestLies lies
    = { mutations, make_any, place_point, 30, 4 };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pareto-joint/brute-force", test_brute_force);
  g_test_add_func ("/pareto-joint/several", test_several);
  g_test_add_func ("/pareto-joint/shadow", test_shadow);
  g_test_add_func ("/pareto-joint/flat", test_flat);
  g_test_add_func ("/pareto-joint/one-device", test_one_device);
  g_test_add_func ("/pareto-joint/refused", test_refused);
  g_test_add_func ("/pareto-joint/large", test_large);
  g_test_add_func ("/pareto-joint/worths", test_worths);
  g_test_add_data_func ("/pareto-joint/lies", &lies, tp_test_lies_check);
  g_test_add_data_func ("/pareto-joint/second", &lies, tp_test_lies_check_second);
  return g_test_run ();
}
