/* contest.h: which of several is faster, from runs that took turns. Pure: runs
 * and reads no clock.
 *
 * Contestants run in rounds. In one, each has two turns, in the order A B C C B
 * A: what changes evenly while it lasts, such as heat, hits all alike. Each round
 * begins with another contestant, so that none keeps its neighbours. */
#ifndef TP_CALIB_CONTEST_H
#define TP_CALIB_CONTEST_H

#include <glib.h>

typedef struct TpContest TpContest;

/* Of @n contestants, 0 to @n - 1. */
TpContest *tp_contest_new (int n);
void tp_contest_free (TpContest *contest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpContest, tp_contest_free)

/* Whose turn @turn, 0 to 2 * @n - 1, of round @round is. */
int tp_contest_get_turn (int n, int round, int turn);

/* One run in the round under way; every contestant has some before it ends. */
void tp_contest_add (TpContest *contest, int who, gint64 time_ns);
void tp_contest_end_round (TpContest *contest);
int tp_contest_count_rounds (const TpContest *contest);
/* Rounds from now on have something in common, such as the memory that contestants
 * were given, which those before did not have. So is the first from the start. */
void tp_contest_begin_sitting (TpContest *contest);
int tp_contest_count_sittings (const TpContest *contest); /* that have a round */

/* All runs of one contestant, in rounds that ended; the nearest rank. */
typedef struct
{
  int n;
  gint64 min_ns, p50_ns, p90_ns, p95_ns, p99_ns;
} TpContestTimes;
void tp_contest_get_times (const TpContest *contest, int who,
                           TpContestTimes *out_times);

/* Half of the 95 % interval of the median of what one contestant took, in the sittings
 * there were: of blocks of its rounds (see below), by the sign test. -1: too few
 * rounds. */
gint64 tp_contest_get_half_ns (const TpContest *contest, int who);

/* The time of one contestant over that of another: the median over the rounds,
 * and between which bounds it lies with 95 %. */
typedef struct
{
  double ratio;
  double low, high;           /* 0 and infinity: too few rounds to tell */
} TpContestRatio;

/* Rounds give pairs, so whatever slows both alike goes out. Rounds that follow
 * each other are put together to a few tens of blocks: noise that lasts for some
 * rounds counts once. Those of a sitting are one block, if there are enough sittings
 * for an interval. The interval is that of the sign test on the blocks
 * (tp_stats_interval_rank ()): no distribution is assumed. There is one round at least. */
TpContestRatio tp_contest_compare (const TpContest *contest, int who,
                                   int against);

/* The fastest by ratio of those that @is_among (nullable: all) names; -1: it
 * names none. */
int tp_contest_find_best (const TpContest *contest, const gboolean *is_among);

/* The one whose ratio to every other is below 1 with 95 %; -1: none. */
int tp_contest_find_winner (const TpContest *contest);

/* Whether more rounds would tell little: the interval of each ratio to @base is
 * within 1 % of it, or a quarter of what it differs from 1; not before there are enough
 * sittings, if there are several. To be asked after
 * every round; it looks at 20 and whenever there are half as many again, since
 * stopping at what is narrow by chance makes 95 % less: about 93. */
gboolean tp_contest_is_settled (TpContest *contest, int base);

#endif
