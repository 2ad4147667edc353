/* test-verdict.c: which of several plans that were run is given. */
#include "config.h"

#include "cli/verdict.h"

#define MAX_ENTRANTS 5
#define N_ROUNDS 30

static const TpEntrant several = { FALSE, FALSE }, single = { TRUE, FALSE };
static const TpEntrant several_unfused = { FALSE, TRUE };
static const TpEntrant single_unfused = { TRUE, TRUE };

typedef struct
{
  const char *path;
  int n;
  const TpEntrant *entrants[MAX_ENTRANTS];
  int times_us[MAX_ENTRANTS];
  int chosen, rival;
} Case;

static const Case cases[] = {
  { "/verdict/wins", 2, { &several, &single }, { 80, 100 }, 0, 1 },
  { "/verdict/loses", 2, { &several, &single }, { 100, 80 }, 1, 1 },
  { "/verdict/draws", 2, { &several, &single }, { 100, 100 }, 1, 1 },
  { "/verdict/single-draws", 2, { &single, &single }, { 100, 100 }, 0, 1 },
  { "/verdict/single-wins",
    3,
    { &single, &single, &single_unfused },
    { 60, 100, 90 },
    0,
    2 },
  { "/verdict/single-loses", 2, { &single, &single }, { 100, 80 }, 1, 1 },
  { "/verdict/unfused-wins",
    3,
    { &several, &single, &several_unfused },
    { 80, 100, 60 },
    2,
    2 },
  { "/verdict/unfused-draws",
    3,
    { &several, &single, &several_unfused },
    { 80, 100, 80 },
    0,
    1 },
  { "/verdict/unfused-loses-to-single",
    3,
    { &several, &single, &several_unfused },
    { 90, 50, 60 },
    1,
    1 },
  { "/verdict/single-unfused-wins",
    4,
    { &several, &single, &several_unfused, &single_unfused },
    { 90, 80, 85, 60 },
    3,
    3 },
  { "/verdict/fused-loses", 2, { &single, &single_unfused }, { 90, 60 }, 1,
    1 },
  { "/verdict/fused-wins", 2, { &single, &single_unfused }, { 60, 90 }, 0,
    1 },
  { "/verdict/no-single", 2, { &several, &several_unfused }, { 60, 90 }, 0, 1 },
};

/* Noise of one percent, now to one side and now to the other. */
static TpContest *
new_contest (const Case *it)
{
  TpContest *contest = tp_contest_new (it->n);

  for (int round = 0; round < N_ROUNDS; round++)
    {
      for (int i = 0; i < it->n; i++)
        for (int k = 0; k < 2; k++)
          tp_contest_add (contest, i,
                          10 * (gint64) it->times_us[i]
                              * ((round + i) % 2 == 0 ? 99 : 101));
      tp_contest_end_round (contest);
    }
  return contest;
}

static void
test_case (gconstpointer data)
{
  const Case *it = data;
  g_autoptr (TpContest) contest = new_contest (it);
  TpEntrant entrants[MAX_ENTRANTS];
  TpVerdict verdict;

  for (int i = 0; i < it->n; i++)
    entrants[i] = *it->entrants[i];
  verdict = tp_verdict_find (contest, entrants, it->n);
  g_assert_cmpint (verdict.chosen, ==, it->chosen);
  g_assert_cmpint (verdict.rival, ==, it->rival);
  g_assert_cmpfloat (verdict.ratio.low, <=, verdict.ratio.ratio);
  if (verdict.chosen != 0)
    g_assert_cmpfloat (verdict.ratio.high, >=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add_data_func (cases[i].path, &cases[i], test_case);
  return g_test_run ();
}
