/* fit.c: see fit.h.
 *
 * Sizes of copies span seven powers of ten and so do their times: errors are
 * relative, and counted by their logarithm, so that too fast weighs as much as
 * too slow. A sum of absolute values is not owned by one bad point, and with a
 * dozen points all lines through two of them can be tried. */
#include "config.h"

#include "calib/fit.h"

#include "ir/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double
sum_errors (const TpFitPoint *points, int n, double base, double slope)
{
  double sum = 0;

  for (int i = 0; i < n; i++)
    sum += fabs (log (MAX (base + slope * points[i].bytes, 1e-3)
                      / points[i].time_ns));
  return sum;
}

static void
try_line (const TpFitPoint *points, int n, const double *line, TpFit *best)
{
  double sum;

  if (!(line[0] >= 0) || !(line[1] >= 0))
    return;
  sum = sum_errors (points, n, line[0], line[1]);
  if (sum < best->residual)
    {
      best->base_ns = line[0];
      best->per_byte_ns = line[1];
      best->residual = sum;
    }
}

void
tp_fit_line (const TpFitPoint *points, int n, TpFit *out_fit)
{
  memset (out_fit, 0, sizeof *out_fit);
  out_fit->residual = G_MAXDOUBLE; /* while lines are tried: the sum of errors */
  for (int i = 0; i < n; i++)
    {
      const TpFitPoint *a = &points[i];

      try_line (points, n, (double[]){ a->time_ns, 0 }, out_fit);
      if (a->bytes > 0)
        try_line (points, n, (double[]){ 0, a->time_ns / a->bytes }, out_fit);
      for (int j = i + 1; j < n; j++)
        {
          const TpFitPoint *b = &points[j];
          double slope = (b->time_ns - a->time_ns) / (b->bytes - a->bytes);
          double line[] = { a->time_ns - slope * a->bytes, slope };

          try_line (points, n, line, out_fit);
        }
    }
  out_fit->residual = tp_fit_find_residual (out_fit, points, n);
}

/* Pools what falls, as isotonic regression does. */
void
tp_fit_keep_points (TpFit *fit, const TpFitPoint *points, int n)
{
  int sizes[TP_FIT_POINTS_MAX], n_pools = 0, next = 0;
  double means[TP_FIT_POINTS_MAX];

  g_assert (n <= TP_FIT_POINTS_MAX);
  for (int i = 0; i < n; i++)
    {
      means[n_pools] = points[i].time_ns;
      sizes[n_pools++] = 1;
      while (n_pools > 1 && means[n_pools - 2] > means[n_pools - 1])
        {
          int a = n_pools - 2, b = n_pools - 1;

          means[a] = (means[a] * sizes[a] + means[b] * sizes[b])
                     / (sizes[a] + sizes[b]);
          sizes[a] += sizes[b];
          n_pools--;
        }
    }
  for (int pool = 0; pool < n_pools; pool++)
    for (int i = 0; i < sizes[pool]; i++, next++)
      fit->points[next] = (TpFitPoint){ points[next].bytes, means[pool] };
  fit->n_points = n;
}

double
tp_fit_join_passes (const TpFitPoint *passes, int n_passes, int n,
                    TpFitPoint *out_points)
{
  g_autofree double *times_ns = g_new (double, n_passes);
  int second = MIN (n_passes - 1, 1);
  double worst = n_passes < 3 ? INFINITY : 0;

  for (int i = 0; i < n; i++)
    {
      for (int k = 0; k < n_passes; k++)
        times_ns[k] = passes[k * n + i].time_ns;
      qsort (times_ns, n_passes, sizeof *times_ns, tp_compare_double);
      out_points[i] = (TpFitPoint){ passes[i].bytes, times_ns[second] };
      if (n_passes >= 3)
        worst = MAX (worst, times_ns[second + 1] / times_ns[second] - 1);
    }
  return worst;
}

double
tp_fit_find_residual (const TpFit *fit, const TpFitPoint *points, int n)
{
  double worst = 0;

  for (int i = 0; i < n; i++)
    worst = MAX (worst, fabs (tp_fit_evaluate_ns (fit, points[i].bytes)
                              / points[i].time_ns - 1));
  return worst;
}

gboolean
tp_fit_is_poor (const TpFit *fit)
{
  return fit->n_points == 0 && fit->residual > TP_FIT_GOOD;
}

static double
interpolate (const TpFitPoint *points, int n, double bytes)
{
  int i = 1;

  if (n == 1 || bytes <= points[0].bytes)
    return points[0].time_ns;
  while (i < n - 1 && bytes > points[i].bytes)
    i++;
  return points[i - 1].time_ns
         + (bytes - points[i - 1].bytes)
               * (points[i].time_ns - points[i - 1].time_ns)
               / (points[i].bytes - points[i - 1].bytes);
}

double
tp_fit_evaluate_ns (const TpFit *fit, double bytes)
{
  double time_ns = fit->n_points > 0
                       ? interpolate (fit->points, fit->n_points, bytes)
                       : fit->base_ns + fit->per_byte_ns * bytes;

  return MAX (time_ns, 1);
}

/* ---- as text ------------------------------------------------------------ */

char *
tp_fit_points_to_text (const TpFit *fit)
{
  GString *text = g_string_new (NULL);
  char bytes[G_ASCII_DTOSTR_BUF_SIZE], time[G_ASCII_DTOSTR_BUF_SIZE];

  for (int i = 0; i < fit->n_points; i++)
    g_string_append_printf (
        text, "%s%s:%s", i > 0 ? " " : "",
        g_ascii_dtostr (bytes, sizeof bytes, fit->points[i].bytes),
        g_ascii_dtostr (time, sizeof time, fit->points[i].time_ns));
  return g_string_free (text, FALSE);
}

static gboolean
is_next (const TpFit *fit, const TpFitPoint *point)
{
  const TpFitPoint *last = fit->points + MAX (fit->n_points - 1, 0);

  if (!isfinite (point->bytes) || !isfinite (point->time_ns)
      || point->bytes < 0 || point->time_ns <= 0)
    return FALSE;
  return fit->n_points == 0 || (point->bytes > last->bytes
                                && point->time_ns >= last->time_ns);
}

/* FALSE: no number at *at, or not @stop or the end behind it. */
static gboolean
take_number (const char **at, char stop, double *out_value)
{
  char *end;

  if (!g_ascii_isdigit (**at))
    return FALSE;
  *out_value = g_ascii_strtod (*at, &end);
  *at = *end == stop ? end + 1 : end;
  return *end == stop || (stop == ' ' && *end == '\0');
}

gboolean
tp_fit_points_from_text (const char *text, TpFit *fit)
{
  const char *at = text;

  fit->n_points = 0;
  while (*at != '\0')
    {
      TpFitPoint point;

      if (fit->n_points == TP_FIT_POINTS_MAX
          || !take_number (&at, ':', &point.bytes)
          || !take_number (&at, ' ', &point.time_ns) || !is_next (fit, &point))
        return FALSE;
      fit->points[fit->n_points++] = point;
    }
  return TRUE;
}
