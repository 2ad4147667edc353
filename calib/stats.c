/* stats.c: medians and their intervals, of all samples or of the fast mode.
 *
 * Timings have a floor and a long tail, so nothing here assumes a normal
 * distribution. The interval of the median is that of the sign test: between
 * the k-th smallest and the k-th largest of n samples the median lies with
 * probability 1 - 2 * P (Binomial (n, 1/2) < k). */
#include "config.h"

#include "calib/stats.h"

#include "ir/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_NS 100          /* two readings of the clock, and a branch missed */
#define READING_NS 30         /* one reading */
#define APART_NS 200          /* from process to process: where memory lies, */
#define APART 0.03            /* what others do to caches (docs/calibration.md) */
#define FAR 2                 /* times that */
#define MODE_MIN 6            /* fewer samples have no modes */

static gint64
median_of_sorted (const gint64 *sorted, int n)
{
  gint64 low = sorted[(n - 1) / 2], high = sorted[n / 2];

  return low + (high - low) / 2;
}

int
tp_stats_interval_rank (int n)
{
  double tail = 0, term = pow (0.5, MIN (n, 1000));
  int rank = 0;

  if (n > 1000) /* the normal limit is exact enough there */
    return MAX (1, (int) floor (n / 2.0 - 0.98 * sqrt (n)));
  for (int k = 0; k < n / 2; k++)
    {
      tail += term;
      if (2 * tail > 0.05)
        break;
      rank = k + 1;
      term = term * (n - k) / (k + 1);
    }
  return rank;
}

void
tp_stats_compute (const gint64 *samples, int n, TpStats *out_stats)
{
  g_autofree gint64 *sorted = g_new (gint64, n);
  int rank = tp_stats_interval_rank (n);
  gint64 median;

  g_assert (n >= 1);
  memcpy (sorted, samples, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, tp_compare_int64);
  median = median_of_sorted (sorted, n);
  out_stats->n = n;
  out_stats->min_ns = sorted[0];
  out_stats->median_ns = median;
  if (rank > 0)
    out_stats->half_ns = (sorted[n - rank] - sorted[rank - 1] + 1) / 2;
  else
    out_stats->half_ns = MAX ((sorted[n - 1] - sorted[0] + 1) / 2, median / 4);
  for (int i = 0; i < n; i++)
    sorted[i] = ABS (samples[i] - median);
  qsort (sorted, n, sizeof *sorted, tp_compare_int64);
  out_stats->mad_ns = median_of_sorted (sorted, n);
}

/* ---- the fast mode ------------------------------------------------------ */

/* Lowest of the windows of @n_window samples that are not much wider than the
 * narrowest, or that are narrow enough to be settled with. */
static int
find_window (const gint64 *sorted, int n, int n_window)
{
  gint64 narrowest = G_MAXINT64;
  int i = 0;

  for (int k = 0; k + n_window <= n; k++)
    narrowest = MIN (narrowest, sorted[k + n_window - 1] - sorted[k]);
  while (sorted[i + n_window - 1] - sorted[i]
         > MAX (MAX (2 * narrowest, sorted[i] / 20), READING_NS))
    i++;
  return i;
}

/* How many of the sorted samples, from the first, are of the fast mode. */
static int
count_fast (const gint64 *sorted, int n)
{
  int n_window = MAX (3, (n + 3) / 4), first, n_fast;
  gint64 width;

  if (n < MODE_MIN)
    return n;
  first = find_window (sorted, n, n_window);
  n_fast = first + n_window;
  width = sorted[n_fast - 1] - sorted[first];
  width = MAX (MAX (width, sorted[first] / 100), READING_NS);
  while (n_fast < n && sorted[n_fast] <= sorted[first + n_window - 1] + 3 * width)
    n_fast++;
  return n_fast;
}

void
tp_stats_compute_fast (const gint64 *samples, int n, TpStats *out_stats)
{
  g_autofree gint64 *sorted = g_new (gint64, n);
  int n_fast;
  gint64 least;

  g_assert (n >= 1);
  memcpy (sorted, samples, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, tp_compare_int64);
  n_fast = count_fast (sorted, n);
  tp_stats_compute (sorted, n_fast, out_stats);
  least = MAX (out_stats->median_ns * 3 / 200, READING_NS);
  if (3 * n_fast < 2 * n)
    least = MAX (least, out_stats->median_ns - out_stats->min_ns);
  out_stats->half_ns = MAX (out_stats->half_ns, least);
}

gboolean
tp_stats_is_settled (const TpStats *stats, int n_min)
{
  return stats->n >= n_min
         && stats->half_ns <= MAX (stats->median_ns / 20, CLOCK_NS);
}

gint64
tp_stats_find_median (const GArray *samples)
{
  TpStats stats;

  if (samples->len == 0)
    return 0;
  tp_stats_compute ((const gint64 *) (const void *) samples->data,
                    samples->len, &stats);
  return stats.median_ns;
}

/* By how much processes differ: half of an interval of 95 %. */
static double
find_apart (const TpStats *stats)
{
  return hypot (APART * stats->median_ns, APART_NS);
}

/* @n_processes: of which @stats is the mean. */
static gint64
find_spread (const TpStats *stats, int n_processes)
{
  double apart = find_apart (stats) / sqrt (n_processes);

  return MIN ((gint64) hypot (stats->half_ns, apart),
              MAX (stats->median_ns, stats->half_ns));
}

gint64
tp_stats_find_spread (const TpStats *stats)
{
  return find_spread (stats, 1);
}

static int
compare_medians (const void *a, const void *b)
{
  gint64 x = ((const TpStats *) a)->median_ns, y = ((const TpStats *) b)->median_ns;

  return (x > y) - (x < y);
}

/* Without the slowest where that was held up. */
static int
count_alike (const TpStats *sorted, int n)
{
  const TpStats *middle = &sorted[(n - 1) / 2];

  return sorted[n - 1].median_ns - middle->median_ns > FAR * find_apart (middle)
             ? n - 1 : n;
}

void
tp_stats_combine (TpStats *sittings, int n, TpStats *out_stats)
{
  int n_alike;

  qsort (sittings, n, sizeof *sittings, compare_medians);
  n_alike = count_alike (sittings, n);
  *out_stats = (TpStats){ .min_ns = G_MAXINT64 };
  for (int i = 0; i < n_alike; i++)
    {
      out_stats->n += sittings[i].n;
      out_stats->min_ns = MIN (out_stats->min_ns, sittings[i].min_ns);
      out_stats->median_ns += sittings[i].median_ns;
      out_stats->mad_ns += sittings[i].mad_ns;
      out_stats->half_ns += sittings[i].half_ns;
    }
  out_stats->median_ns /= n_alike;
  out_stats->mad_ns /= n_alike;
  out_stats->half_ns
      = MAX (out_stats->half_ns / n_alike,
             (sittings[n_alike - 1].median_ns - sittings[0].median_ns) / 2);
  out_stats->half_ns = find_spread (out_stats, n_alike);
}
