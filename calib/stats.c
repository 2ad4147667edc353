/* stats.c: medians and their intervals.
 *
 * Timings have a floor and a long tail, so nothing here assumes a normal
 * distribution. The interval of the median is that of the sign test: between
 * the k-th smallest and the k-th largest of n samples the median lies with
 * probability 1 - 2 * P (Binomial (n, 1/2) < k). */
#include "config.h"

#include "calib/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_NS 100          /* two readings of the clock, and a branch missed */

static int
compare_times (const void *a, const void *b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

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
  qsort (sorted, n, sizeof *sorted, compare_times);
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
  qsort (sorted, n, sizeof *sorted, compare_times);
  out_stats->mad_ns = median_of_sorted (sorted, n);
}

gboolean
tp_stats_is_settled (const TpStats *stats, int n_min)
{
  return stats->n >= n_min
         && stats->half_ns <= MAX (stats->median_ns / 20, CLOCK_NS);
}

static double
worst_error (const double *x, const double *y, int n, const double *line)
{
  double worst = 0;

  for (int i = 0; i < n; i++)
    worst = MAX (worst, fabs (line[0] + line[1] * x[i] - y[i]) / y[i]);
  return worst;
}

void
tp_stats_fit_line (const double *x, const double *y, int n,
                   double *out_coefficients, double *out_residual)
{
  double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, d;

  for (int i = 0; i < n; i++)
    {
      double w = 1 / (y[i] * y[i]);

      s += w, sx += w * x[i], sy += w * y[i];
      sxx += w * x[i] * x[i], sxy += w * x[i] * y[i];
    }
  d = s * sxx - sx * sx;
  out_coefficients[1] = d > 0 ? (s * sxy - sx * sy) / d : 0;
  if (out_coefficients[1] < 0)
    out_coefficients[1] = 0;
  out_coefficients[0] = (sy - out_coefficients[1] * sx) / s;
  if (out_coefficients[0] < 0)
    {
      out_coefficients[0] = 0;
      out_coefficients[1] = sxx > 0 ? sxy / sxx : 0;
    }
  *out_residual = worst_error (x, y, n, out_coefficients);
}
