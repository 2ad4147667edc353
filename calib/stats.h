/* stats.h: what is kept of repeated timings. */
#ifndef TP_CALIB_STATS_H
#define TP_CALIB_STATS_H

#include <glib.h>

typedef struct
{
  int n;
  gint64 min_ns;
  gint64 median_ns;
  gint64 mad_ns;              /* median of |x - median| */
  gint64 half_ns;             /* half of the 95 % interval of the median */
} TpStats;

/* Medians, and the interval by order statistics: the narrowest pair of ranks
 * that holds the median with 95 %, whatever the distribution. Below 6 samples no
 * pair does: half the range, at least a quarter of the median, stands in.
 * @n >= 1; @samples is left alone. */
void tp_stats_compute (const gint64 *samples, int n, TpStats *out_stats);

/* Likewise, but of the fast mode alone: the lowest place where a quarter of the
 * samples lie close together, and what lies near it. What was preempted, waited
 * or ran on fewer processors is slower by much and is left out; up to some 60 %
 * of the samples may be such. @out_stats->n: how many were kept. Its half_ns is
 * never below what two quiet runs of a process differ by, nor below the clock;
 * and reaches down to the minimum where less than two thirds were kept. */
void tp_stats_compute_fast (const gint64 *samples, int n, TpStats *out_stats);

/* Of int64 samples; 0: there are none. */
gint64 tp_stats_find_median (const GArray *samples);

/* Half of the interval that later processes are in as well: as half_ns, which is of
 * one, and what processes differ by; no more than all of the time. */
gint64 tp_stats_find_spread (const TpStats *stats);

/* One figure of those of @n processes: their mean, but for the slowest where it is
 * further from the middle one than processes differ by, for then others held it up.
 * half_ns: as tp_stats_find_spread () says it of one; the mean of several is surer, but no more
 * so than they agree. @n >= 1; @sittings are sorted by it. */
void tp_stats_combine (TpStats *sittings, int n, TpStats *out_stats);

/* The stop rule: at least @n_min samples and half_ns within 5 % of the median,
 * or within what a clock can tell apart. */
gboolean tp_stats_is_settled (const TpStats *stats, int n_min);

/* Ranks (from 1) of the interval for @n samples: [*out_low, n + 1 - *out_low];
 * 0: none. */
int tp_stats_interval_rank (int n);

#endif
