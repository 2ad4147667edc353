/* test-contest.c: ratios and verdicts on made-up runs whose truth is known. */
#include "config.h"

#include "calib/contest.h"

#include <math.h>

/* Runs as a machine gives them: each takes @times of its contestant, slowed by
 * what all suffer and by what it alone does. */
typedef struct
{
  int n;
  const double *times;
  double spread;              /* of a single run */
  double spike;               /* how often one takes three times as long */
  double drift;               /* of all, per turn */
  double memory;              /* how much noise lasts into the next round */
} Machine;

static double
draw_normal (void)
{
  double sum = 0;

  for (int i = 0; i < 12; i++)
    sum += g_test_rand_double ();
  return sum - 6;
}

/* @slow: per contestant, carried from round to round. */
static void
run_round (const Machine *machine, TpContest *contest, double *slow)
{
  int round = tp_contest_count_rounds (contest);

  for (int i = 0; i < machine->n; i++)
    slow[i] = machine->memory * slow[i]
              + sqrt (1 - machine->memory * machine->memory)
                    * machine->spread * draw_normal ();
  for (int turn = 0; turn < 2 * machine->n; turn++)
    {
      int who = tp_contest_get_turn (machine->n, round, turn);
      double age = (double) round * 2 * machine->n + turn;
      double time = machine->times[who] * 1e6 * (1 + machine->drift * age);

      time *= exp ((machine->memory > 0 ? slow[who] : 0)
                   + machine->spread * draw_normal ());
      if (g_test_rand_double () < machine->spike)
        time *= 3;
      tp_contest_add (contest, who, (gint64) time);
    }
  tp_contest_end_round (contest);
}

static TpContest *
run_rounds (const Machine *machine, int n_rounds)
{
  TpContest *contest = tp_contest_new (machine->n);
  double slow[4] = { 0 };

  for (int i = 0; i < n_rounds; i++)
    run_round (machine, contest, slow);
  return contest;
}

/* Everyone has two turns, both ends alike far from the middle, and every place
 * as often as others. */
static void
test_turns (void)
{
  for (int n = 1; n <= 5; n++)
    {
      int sums[5] = { 0 };

      for (int round = 0; round < n; round++)
        for (int turn = 0; turn < 2 * n; turn++)
          {
            int who = tp_contest_get_turn (n, round, turn);

            g_assert_cmpint (
                who, ==, tp_contest_get_turn (n, round, 2 * n - 1 - turn));
            sums[who] += turn < n ? turn + 1 : 0;
          }
      for (int i = 0; i < n; i++)
        g_assert_cmpint (sums[i], ==, n * (n + 1) / 2);
    }
}

static void
test_known (void)
{
  g_autoptr (TpContest) contest = tp_contest_new (2);
  TpContestRatio ratio;
  TpContestTimes times;

  for (int i = 1; i <= 9; i++)
    {
      tp_contest_add (contest, 0, 1000 + 100 * i);
      tp_contest_add (contest, 1, 1000);
      tp_contest_end_round (contest);
    }
  tp_contest_add (contest, 1, 77); /* of a round that never ended */
  ratio = tp_contest_compare (contest, 0, 1);
  g_assert_cmpfloat_with_epsilon (ratio.ratio, 1.5, 1e-9);
  g_assert_cmpfloat_with_epsilon (ratio.low, 1.2, 1e-9); /* rank 2 of 9 */
  g_assert_cmpfloat_with_epsilon (ratio.high, 1.8, 1e-9);
  tp_contest_get_times (contest, 0, &times);
  g_assert_cmpint (times.n, ==, 9);
  g_assert_cmpint (times.min_ns, ==, 1100);
  g_assert_cmpint (times.p50_ns, ==, 1500);
  g_assert_cmpint (times.p90_ns, ==, 1900);
  tp_contest_get_times (contest, 1, &times);
  g_assert_cmpint (times.min_ns, ==, 1000);
  g_assert_cmpint (tp_contest_find_winner (contest), ==, 1);
}

static void
test_too_few (void)
{
  const double times[] = { 1, 9 };
  const Machine machine = { .n = 2, .times = times, .spread = 0.01 };
  g_autoptr (TpContest) contest = run_rounds (&machine, 5);

  g_assert_cmpfloat (tp_contest_compare (contest, 0, 1).low, ==, 0);
  g_assert_cmpfloat (tp_contest_compare (contest, 0, 1).high, ==, HUGE_VAL);
  g_assert_cmpint (tp_contest_find_winner (contest), ==, -1);
  g_assert_false (tp_contest_is_settled (contest, 0));
}

/* In how many of 1000 draws the interval holds the truth. */
static int
count_held (const Machine *machine, int n_rounds)
{
  double truth = machine->times[0] / machine->times[1];
  int n_held = 0;

  for (int draw = 0; draw < 1000; draw++)
    {
      g_autoptr (TpContest) contest = run_rounds (machine, n_rounds);
      TpContestRatio it = tp_contest_compare (contest, 0, 1);

      g_assert_cmpfloat (it.low, <=, it.ratio);
      g_assert_cmpfloat (it.ratio, <=, it.high);
      n_held += it.low <= truth && truth <= it.high;
    }
  g_test_message ("held in %d of 1000", n_held);
  return n_held;
}

static void
test_coverage (void)
{
  const double times[] = { 0.97, 1 };
  const Machine machines[] = {
    { .n = 2, .times = times, .spread = 0.01 },
    { .n = 2, .times = times, .spread = 0.05, .spike = 0.1 },
    { .n = 2, .times = times, .spread = 0.03, .drift = 0.002 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_assert_cmpint (count_held (&machines[i], 9), >=, 900);
      g_assert_cmpint (count_held (&machines[i], 150), >=, 900);
    }
}

/* Noise that lasts for some rounds and hits one alone: blocks are there for it. */
static void
test_lasting (void)
{
  const double times[] = { 0.97, 1 };
  const Machine machine
      = { .n = 2, .times = times, .spread = 0.03, .memory = 0.5 };

  g_assert_cmpint (count_held (&machine, 200), >=, 900);
  g_assert_cmpint (count_held (&machine, 400), >=, 900);
}

/* Stopping once an interval is narrow must not make it too narrow. */
static void
test_stopping (void)
{
  const double times[] = { 0.97, 1 };
  const Machine machine = { .n = 2, .times = times, .spread = 0.03 };
  int n_held = 0;

  for (int draw = 0; draw < 1000; draw++)
    {
      g_autoptr (TpContest) contest = tp_contest_new (2);
      double slow[2] = { 0 };
      TpContestRatio it;

      while (!tp_contest_is_settled (contest, 1))
        run_round (&machine, contest, slow);
      it = tp_contest_compare (contest, 0, 1);
      g_assert_cmpfloat (it.high - it.low, <=,
                         MAX (0.02 * it.ratio, fabs (it.ratio - 1) / 2));
      n_held += it.low <= 0.97 && 0.97 <= it.high;
    }
  g_test_message ("held in %d of 1000", n_held);
  g_assert_cmpint (n_held, >=, 900);
}

/* Rounds of two that are equal, but for what each has by luck as long as a sitting lasts;
 * until they are settled, or there are many. */
static TpContest *
run_sittings (gboolean is_told)
{
  const double times[] = { 1, 1 };
  const Machine machine = { .n = 2, .times = times, .spread = 0.005 };
  TpContest *contest = tp_contest_new (2);

  for (int i = 0; i < 50 && !tp_contest_is_settled (contest, 1); i++)
    {
      const double lucky[]
          = { exp (0.02 * draw_normal ()), exp (0.02 * draw_normal ()) };
      Machine sitting = machine;
      double slow[2] = { 0 };

      sitting.times = lucky;
      if (is_told)
        tp_contest_begin_sitting (contest);
      for (int k = 0; k < 5; k++)
        run_round (&sitting, contest, slow);
    }
  return contest;
}

/* Such luck is no difference, and is not taken for one if sittings are known. */
static void
test_sittings (void)
{
  int n_held[2] = { 0 };

  for (int is_told = 0; is_told < 2; is_told++)
    for (int draw = 0; draw < 500; draw++)
      {
        g_autoptr (TpContest) contest = run_sittings (is_told);
        TpContestRatio it = tp_contest_compare (contest, 0, 1);

        n_held[is_told] += it.low <= 1 && 1 <= it.high;
      }
  g_test_message ("held in %d, told in %d of 500", n_held[0], n_held[1]);
  g_assert_cmpint (n_held[0], <, 400);
  g_assert_cmpint (n_held[1], >=, 450);
}

/* Five sittings are too few for an interval of sittings; a sitting without a round is
 * none. */
static void
test_few_sittings (void)
{
  g_autoptr (TpContest) contest = tp_contest_new (2);

  for (int i = 1; i <= 25; i++)
    {
      if (i % 5 == 0)
        {
          tp_contest_begin_sitting (contest);
          tp_contest_begin_sitting (contest);
        }
      tp_contest_add (contest, 0, 1000);
      tp_contest_add (contest, 1, 1000);
      tp_contest_end_round (contest);
      g_assert_cmpint (tp_contest_is_settled (contest, 1), ==, i == 25);
      g_assert_cmpint (tp_contest_compare (contest, 0, 1).low > 0, ==, i >= 6);
    }
}

/* In how many of 1000 draws @who wins; -1: nobody. */
static int
count_won (const Machine *machine, int n_rounds, int who)
{
  int n_won = 0;

  for (int draw = 0; draw < 1000; draw++)
    {
      g_autoptr (TpContest) contest = run_rounds (machine, n_rounds);

      n_won += tp_contest_find_winner (contest) == who;
    }
  g_test_message ("%d wins in %d of 1000", who, n_won);
  return n_won;
}

static void
test_equal (void)
{
  const double times[] = { 1, 1, 1 };

  for (int n = 2; n <= 3; n++)
    {
      const Machine machine = { .n = n, .times = times, .spread = 0.02,
                                .spike = 0.05, .drift = 0.001 };

      g_assert_cmpint (count_won (&machine, 40, -1), >=, 930);
      g_assert_cmpint (count_won (&machine, 200, -1), >=, 930);
    }
}

/* Five per cent are seen through noise of three, and by the right one. */
static void
test_winner (void)
{
  const double times[] = { 1, 0.95, 1.05 };
  const Machine machine
      = { .n = 3, .times = times, .spread = 0.03, .drift = 0.001 };
  const gboolean but_it[] = { TRUE, FALSE, TRUE };
  g_autoptr (TpContest) contest = run_rounds (&machine, 60);

  g_assert_cmpint (count_won (&machine, 60, 1), >=, 900);
  g_assert_cmpint (tp_contest_find_best (contest, NULL), ==, 1);
  g_assert_cmpint (tp_contest_find_best (contest, but_it), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/contest/turns", test_turns);
  g_test_add_func ("/contest/known", test_known);
  g_test_add_func ("/contest/too-few", test_too_few);
  g_test_add_func ("/contest/coverage", test_coverage);
  g_test_add_func ("/contest/lasting", test_lasting);
  g_test_add_func ("/contest/stopping", test_stopping);
  g_test_add_func ("/contest/sittings", test_sittings);
  g_test_add_func ("/contest/few-sittings", test_few_sittings);
  g_test_add_func ("/contest/equal", test_equal);
  g_test_add_func ("/contest/winner", test_winner);
  return g_test_run ();
}
