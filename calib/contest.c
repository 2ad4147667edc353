/* contest.c: which of several is faster, from runs that took turns. */
#include "config.h"

#include "calib/contest.h"

#include "calib/stats.h"
#include "ir/compare.h"

#include <math.h>
#include <stdlib.h>

/* A rule that stops when an interval is narrow stops where rounds agree by
 * chance, the more so the fewer they are and the more often it looks. */
#define MIN_ROUNDS 20
#define MAX_BLOCKS 40
#define MIN_SITTINGS 6        /* the fewest that have an interval */

typedef struct
{
  GArray *times_ns;           /* gint64: of all runs */
  guint round_begin;          /* the first of the round under way */
  GArray *rounds;             /* double: the median of each round */
} Contestant;

struct TpContest
{
  int n;
  Contestant *contestants;
  int next_look;              /* rounds at which to ask whether it is settled */
  GArray *sittings;           /* int: the first round of each but the first */
};

TpContest *
tp_contest_new (int n)
{
  TpContest *contest = g_new0 (TpContest, 1);

  contest->n = n;
  contest->next_look = MIN_ROUNDS;
  contest->sittings = g_array_new (FALSE, FALSE, sizeof (int));
  contest->contestants = g_new0 (Contestant, n);
  for (int i = 0; i < n; i++)
    {
      contest->contestants[i].times_ns
          = g_array_new (FALSE, FALSE, sizeof (gint64));
      contest->contestants[i].rounds
          = g_array_new (FALSE, FALSE, sizeof (double));
    }
  return contest;
}

void
tp_contest_free (TpContest *contest)
{
  if (contest == NULL)
    return;
  for (int i = 0; i < contest->n; i++)
    {
      g_array_unref (contest->contestants[i].times_ns);
      g_array_unref (contest->contestants[i].rounds);
    }
  g_array_unref (contest->sittings);
  g_free (contest->contestants);
  g_free (contest);
}

int
tp_contest_get_turn (int n, int round, int turn)
{
  int place = turn < n ? turn : 2 * n - 1 - turn;

  return (place + round) % n;
}

void
tp_contest_add (TpContest *contest, int who, gint64 time_ns)
{
  g_array_append_val (contest->contestants[who].times_ns, time_ns);
}

/* Sorts @values. */
static double
find_median (double *values, int n)
{
  qsort (values, n, sizeof *values, tp_compare_double);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

void
tp_contest_end_round (TpContest *contest)
{
  for (int i = 0; i < contest->n; i++)
    {
      Contestant *it = &contest->contestants[i];
      int n = (int) (it->times_ns->len - it->round_begin);
      g_autofree double *values = g_new (double, n);
      double median;

      g_assert (n >= 1);
      for (int k = 0; k < n; k++)
        values[k] = (double) g_array_index (it->times_ns, gint64,
                                            it->round_begin + k);
      median = find_median (values, n);
      g_array_append_val (it->rounds, median);
      it->round_begin = it->times_ns->len;
    }
}

int
tp_contest_count_rounds (const TpContest *contest)
{
  return (int) contest->contestants[0].rounds->len;
}

static int
get_sitting (const TpContest *contest, guint sitting)
{
  return sitting == 0 ? 0
                      : g_array_index (contest->sittings, int, sitting - 1);
}

void
tp_contest_begin_sitting (TpContest *contest)
{
  int round = tp_contest_count_rounds (contest);

  if (get_sitting (contest, contest->sittings->len) < round)
    g_array_append_val (contest->sittings, round);
}

int
tp_contest_count_sittings (const TpContest *contest)
{
  guint last = contest->sittings->len;

  return (int) last
         + (get_sitting (contest, last) < tp_contest_count_rounds (contest));
}

static gint64
get_percentile (const gint64 *sorted, int n, int percent)
{
  return sorted[((gint64) n * percent + 99) / 100 - 1];
}

void
tp_contest_get_times (const TpContest *contest, int who,
                      TpContestTimes *out_times)
{
  const Contestant *it = &contest->contestants[who];
  int n = (int) it->round_begin;
  g_autofree gint64 *sorted
      = g_memdup2 (it->times_ns->data, n * sizeof (gint64));

  g_assert (n >= 1);
  qsort (sorted, n, sizeof *sorted, tp_compare_int64);
  *out_times = (TpContestTimes){ n,
                                 sorted[0],
                                 get_percentile (sorted, n, 50),
                                 get_percentile (sorted, n, 90),
                                 get_percentile (sorted, n, 95),
                                 get_percentile (sorted, n, 99) };
}

/* Of each sitting the median of its rounds, over @values, which are of all @n. */
static int
join_sittings (const TpContest *contest, double *values, int n)
{
  int n_sittings = tp_contest_count_sittings (contest);

  for (int i = 0; i < n_sittings; i++)
    {
      int begin = get_sitting (contest, i);
      int end = i + 1 < n_sittings ? get_sitting (contest, i + 1) : n;

      values[i] = find_median (&values[begin], end - begin);
    }
  return n_sittings;
}

/* @values: of rounds. Per block, their median; the last block has the rounds
 * that are left over too. */
static double *
make_blocks (double *values, int n, int *out_n)
{
  int length = (n + MAX_BLOCKS - 1) / MAX_BLOCKS;
  int n_blocks = n / length;
  double *blocks = g_new (double, n_blocks);

  for (int i = 0; i < n_blocks; i++)
    blocks[i] = find_median (&values[i * length], i + 1 < n_blocks
                                                      ? length
                                                      : n - i * length);
  *out_n = n_blocks;
  return blocks;
}

static const double *
get_rounds (const TpContest *contest, int who)
{
  return (const double *) (void *) contest->contestants[who].rounds->data;
}

/* Of the logarithms of ratios. */
static double *
compare_blocks (const TpContest *contest, int who, int against, int *out_n)
{
  const double *a = get_rounds (contest, who);
  const double *b = get_rounds (contest, against);
  int n = tp_contest_count_rounds (contest);
  g_autofree double *logs = g_new (double, n);

  for (int i = 0; i < n; i++)
    logs[i] = log (MAX (a[i], 1)) - log (MAX (b[i], 1));
  if (tp_contest_count_sittings (contest) >= MIN_SITTINGS)
    n = join_sittings (contest, logs, n);
  return make_blocks (logs, n, out_n);
}

gint64
tp_contest_get_half_ns (const TpContest *contest, int who)
{
  int n_rounds = tp_contest_count_rounds (contest), n, rank;
  g_autofree double *values
      = g_memdup2 (get_rounds (contest, who), n_rounds * sizeof (double));
  g_autofree double *blocks = make_blocks (values, n_rounds, &n);

  qsort (blocks, n, sizeof *blocks, tp_compare_double);
  rank = tp_stats_interval_rank (n);
  return rank == 0 ? -1 : llround ((blocks[n - rank] - blocks[rank - 1]) / 2);
}

TpContestRatio
tp_contest_compare (const TpContest *contest, int who, int against)
{
  int n, rank;
  g_autofree double *blocks = compare_blocks (contest, who, against, &n);
  TpContestRatio ratio = { .low = 0, .high = HUGE_VAL };

  ratio.ratio = exp (find_median (blocks, n));
  rank = tp_stats_interval_rank (n);
  if (rank > 0)
    {
      ratio.low = exp (blocks[rank - 1]);
      ratio.high = exp (blocks[n - rank]);
    }
  return ratio;
}

int
tp_contest_find_best (const TpContest *contest, const gboolean *is_among)
{
  double least = HUGE_VAL;
  int best = -1;

  for (int i = 0; i < contest->n; i++)
    {
      double ratio = tp_contest_compare (contest, i, 0).ratio;

      if ((is_among == NULL || is_among[i]) && ratio < least)
        {
          least = ratio;
          best = i;
        }
    }
  return best;
}

int
tp_contest_find_winner (const TpContest *contest)
{
  int best = tp_contest_find_best (contest, NULL);

  for (int i = 0; i < contest->n; i++)
    if (i != best && tp_contest_compare (contest, best, i).high >= 1)
      return -1;
  return best;
}

gboolean
tp_contest_is_settled (TpContest *contest, int base)
{
  int n_rounds = tp_contest_count_rounds (contest);

  if (n_rounds < contest->next_look
      || (contest->sittings->len > 0
          && tp_contest_count_sittings (contest) < MIN_SITTINGS))
    return FALSE;
  contest->next_look = n_rounds + n_rounds / 2;
  for (int i = 0; i < contest->n; i++)
    {
      TpContestRatio it = tp_contest_compare (contest, i, base);
      double wanted = MAX (0.01 * it.ratio, fabs (it.ratio - 1) / 4);

      if (i != base && (it.high - it.low) / 2 > wanted)
        return FALSE;
    }
  return TRUE;
}
