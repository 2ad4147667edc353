/* fit.h: what a copy of so many bytes takes: a line, or points where no line
 * will do. */
#ifndef TP_CALIB_FIT_H
#define TP_CALIB_FIT_H

#include <glib.h>

#define TP_FIT_POINTS_MAX 16
#define TP_FIT_GOOD 0.2       /* a line that is off by more is not used */

typedef struct
{
  double bytes;
  double time_ns;             /* > 0 */
} TpFitPoint;

/* time = base + per_byte * bytes; with points: by those instead, and what stands
 * in the line sums them up for people. */
typedef struct
{
  double base_ns;
  double per_byte_ns;
  double residual;            /* largest relative error of a measured size */
  int n_points;               /* 0: the line is good enough */
  TpFitPoint points[TP_FIT_POINTS_MAX]; /* neither bytes nor time ever falls */
} TpFit;

/* Of the lines through two of the points, neither coefficient below 0, the one
 * with the least sum of |log (line / point)|: a point that is off by any factor
 * counts once, on whichever side it lies. @points: by bytes, rising; n >= 1. */
void tp_fit_line (const TpFitPoint *points, int n, TpFit *out_fit);

/* Keeps @points: between two of them a straight line, before the first its time,
 * after the last the speed of the last two. A time that is less than that of
 * fewer bytes is levelled with it. n <= TP_FIT_POINTS_MAX. */
void tp_fit_keep_points (TpFit *fit, const TpFitPoint *points, int n);

/* Of @n_passes over the same @n sizes, one after the other in @passes, the second
 * least time of each size (the only one, of a single pass): company makes most
 * passes slower, luck at times makes one faster. Returns how far the next pass
 * lies above it where they agree least, so 0.1: 10 % more; infinity: fewer than 3
 * passes. n_passes >= 1. */
double tp_fit_join_passes (const TpFitPoint *passes, int n_passes, int n,
                           TpFitPoint *out_points);

/* Largest relative error of @fit at @points. */
double tp_fit_find_residual (const TpFit *fit, const TpFitPoint *points, int n);

/* A line that misses, and no points instead: as older tables have them. */
gboolean tp_fit_is_poor (const TpFit *fit);

/* Rises with @bytes and is never below 1: no copy is free. */
double tp_fit_evaluate_ns (const TpFit *fit, double bytes);

/* "4:1200 4096:1300"; FALSE: not so, or not rising. */
char *tp_fit_points_to_text (const TpFit *fit);
gboolean tp_fit_points_from_text (const char *text, TpFit *fit);

#endif
