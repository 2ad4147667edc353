/* verdict.c: see verdict.h. */
#include "config.h"

#include "cli/verdict.h"

/* The proposal, or what was planned the same way without fusion. */
static int
find_champion (const TpContest *contest, const TpEntrant *entrants, int n)
{
  int champion = 0;

  for (int i = 1; i < n; i++)
    if (entrants[i].is_unfused && !entrants[i].is_single
        && tp_contest_compare (contest, i, champion).high < 1)
      champion = i;
  return champion;
}

/* The fastest on one device; -1: none is. */
static int
find_base (const TpContest *contest, const TpEntrant *entrants, int n)
{
  g_autofree gboolean *is_single = g_new0 (gboolean, n + 1);

  for (int i = 0; i < n; i++)
    is_single[i] = entrants[i].is_single;
  return tp_contest_find_best (contest, is_single);
}

/* The fastest but the proposal, or that where it is alone. */
static int
find_next (const TpContest *contest, int n)
{
  g_autofree gboolean *is_other = g_new0 (gboolean, n + 1);

  for (int i = 1; i < n; i++)
    is_other[i] = TRUE;
  return MAX (tp_contest_find_best (contest, is_other), 0);
}

static gboolean
is_beaten (const TpContest *contest, const TpEntrant *entrants, int champion,
           int base)
{
  TpContestRatio ratio = tp_contest_compare (contest, champion, base);

  return entrants[champion].is_single ? ratio.low > 1 : ratio.high >= 1;
}

TpVerdict
tp_verdict_find (const TpContest *contest, const TpEntrant *entrants,
                 int n)
{
  TpVerdict verdict = { .chosen = find_champion (contest, entrants, n) };
  int base = find_base (contest, entrants, n);

  if (base >= 0 && base != verdict.chosen
      && is_beaten (contest, entrants, verdict.chosen, base))
    verdict.chosen = base;
  verdict.rival = verdict.chosen != 0 ? verdict.chosen : MAX (base, 0);
  if (verdict.rival == 0)
    verdict.rival = find_next (contest, n);
  verdict.ratio = tp_contest_compare (contest, 0, verdict.rival);
  return verdict;
}
