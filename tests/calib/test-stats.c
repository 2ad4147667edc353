/* test-stats.c: medians and intervals against values known by hand. */
#include "config.h"

#include "calib/stats.h"

static void
test_known (void)
{
  const gint64 odd[] = { 9, 1, 5, 7, 3, 2, 8, 4, 6 };
  const gint64 even[] = { 40, 10, 30, 20 };
  TpStats stats;

  tp_stats_compute (odd, 9, &stats);
  g_assert_cmpint (stats.n, ==, 9);
  g_assert_cmpint (stats.min_ns, ==, 1);
  g_assert_cmpint (stats.median_ns, ==, 5);
  g_assert_cmpint (stats.mad_ns, ==, 2);
  g_assert_cmpint (stats.half_ns, ==, 3); /* (8 - 2) / 2 */
  tp_stats_compute (even, 4, &stats);
  g_assert_cmpint (stats.median_ns, ==, 25);
  g_assert_cmpint (stats.mad_ns, ==, 10);
  g_assert_cmpint (stats.half_ns, ==, 15); /* the range: 4 are too few */
}

static void
test_one_sample (void)
{
  const gint64 one = 1000;
  TpStats stats;

  tp_stats_compute (&one, 1, &stats);
  g_assert_cmpint (stats.median_ns, ==, 1000);
  g_assert_cmpint (stats.mad_ns, ==, 0);
  g_assert_cmpint (stats.half_ns, ==, 250);
}

/* Ranks from tables of the sign test. */
static void
test_ranks (void)
{
  static const struct { int n, rank; } table[] = {
    { 5, 0 }, { 6, 1 }, { 8, 1 }, { 9, 2 }, { 10, 2 }, { 15, 4 }, { 20, 6 },
    { 30, 10 }, { 50, 18 }, { 100, 40 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    g_assert_cmpint (tp_stats_interval_rank (table[i].n), ==, table[i].rank);
}

/* The interval holds the true median in 95 % of draws, and both are within its
 * width of the median of the draw. */
static void
test_coverage (void)
{
  int n_held = 0;

  for (int draw = 0; draw < 2000; draw++)
    {
      gint64 samples[15];
      TpStats stats;

      for (int i = 0; i < 15; i++)
        samples[i] = g_test_rand_int_range (0, 1000001);
      tp_stats_compute (samples, 15, &stats);
      n_held += ABS (stats.median_ns - 500000) <= 2 * stats.half_ns;
    }
  g_assert_cmpint (n_held, >, 1860);
}

static void
test_settled (void)
{
  TpStats stats = { .n = 9, .median_ns = 100000, .half_ns = 5000 };

  g_assert_true (tp_stats_is_settled (&stats, 9));
  g_assert_false (tp_stats_is_settled (&stats, 10));
  stats.half_ns = 5001;
  g_assert_false (tp_stats_is_settled (&stats, 9));
  stats.median_ns = 300, stats.half_ns = 90; /* below what a clock resolves */
  g_assert_true (tp_stats_is_settled (&stats, 9));
}

/* ---- the fast mode ------------------------------------------------------ */

#define FAST_NS 1000000

/* Noise of a quiet machine: half a per cent either way. */
static gint64
draw_fast (void)
{
  return FAST_NS + (g_test_rand_int_range (-5000, 5001)
                    + g_test_rand_int_range (-5000, 5001)) / 2;
}

/* Preempted for up to nine times as long; on one thread of two; both; and a
 * mode of memory that is shared, whose own spread is as small. */
static gint64
draw_slow (int kind)
{
  switch (kind)
    {
    case 0:
      return draw_fast () + g_test_rand_int_range (FAST_NS / 4, 9 * FAST_NS);
    case 1:
      return 2 * draw_fast ();
    case 2:
      return g_test_rand_bit () ? draw_slow (0) : draw_slow (1);
    default:
      return draw_fast () + draw_fast () / 2;
    }
}

static void
draw (gint64 *samples, int n, int n_slow, int kind)
{
  for (int i = 0; i < n; i++)
    samples[i] = i < n_slow ? draw_slow (kind) : draw_fast ();
  for (int i = n - 1; i > 0; i--)
    {
      int other = g_test_rand_int_range (0, i + 1);
      gint64 kept = samples[i];

      samples[i] = samples[other];
      samples[other] = kept;
    }
}

/* Whatever part of the samples up to 60 % was disturbed, and however, the
 * estimate is that of the quiet machine, and within its own interval of it. */
static void
test_company (void)
{
  static const int counts[] = { 9, 15, 25, 60 };

  for (int kind = 0; kind < 4; kind++)
    for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
      for (int percent = 0; percent <= 60; percent += 20)
        for (int trial = 0; trial < 20; trial++)
          {
            gint64 samples[60];
            TpStats stats;

            draw (samples, counts[k], counts[k] * percent / 100, kind);
            tp_stats_compute_fast (samples, counts[k], &stats);
            g_assert_cmpint (ABS (stats.median_ns - FAST_NS), <=,
                             FAST_NS / 100);
            g_assert_cmpint (ABS (stats.median_ns - FAST_NS), <=,
                             stats.half_ns);
          }
}

/* The order says nothing, and the unit neither, above what a clock resolves. */
static void
test_invariance (void)
{
  for (int trial = 0; trial < 100; trial++)
    {
      gint64 samples[31], scaled[31];
      TpStats stats, other;

      draw (samples, 31, g_test_rand_int_range (0, 19), trial % 4);
      for (int i = 0; i < 31; i++)
        scaled[30 - i] = 7 * samples[i];
      tp_stats_compute_fast (samples, 31, &stats);
      tp_stats_compute_fast (scaled, 31, &other);
      g_assert_cmpint (other.n, ==, stats.n);
      g_assert_cmpint (other.min_ns, ==, 7 * stats.min_ns);
      g_assert_cmpint (ABS (other.median_ns - 7 * stats.median_ns), <=, 7);
      g_assert_cmpint (ABS (other.half_ns - 7 * stats.half_ns), <=, 14);
    }
}

/* On a quiet machine nearly all is kept, and the interval is never nought. */
static void
test_quiet (void)
{
  gint64 samples[25];
  int n_kept = 0;
  TpStats stats, plain;

  for (int trial = 0; trial < 100; trial++)
    {
      draw (samples, 25, 0, 0);
      tp_stats_compute_fast (samples, 25, &stats);
      tp_stats_compute (samples, 25, &plain);
      n_kept += stats.n;
      g_assert_cmpint (ABS (stats.median_ns - plain.median_ns), <=,
                       FAST_NS / 200);
    }
  g_assert_cmpint (n_kept, >, 100 * 23);
  for (int i = 0; i < 25; i++)
    samples[i] = 400;
  tp_stats_compute_fast (samples, 25, &stats);
  g_assert_cmpint (stats.median_ns, ==, 400);
  g_assert_cmpint (stats.half_ns, >, 0);
  g_assert_true (tp_stats_is_settled (&stats, 9));
}

/* Never less than the samples say, never nothing, never more than the time. */
static void
test_spread (void)
{
  static const gint64 halves[] = { 0, 50, 3000, 400000 };
  gint64 last_ns = 0;

  for (gint64 median_ns = 100; median_ns < 100000000; median_ns *= 3)
    for (guint i = 0; i < G_N_ELEMENTS (halves); i++)
      {
        const TpStats stats = { .n = 9, .median_ns = median_ns,
                                .half_ns = halves[i] };
        gint64 spread_ns = tp_stats_find_spread (&stats);

        g_assert_cmpint (spread_ns, >=, MIN (median_ns / 34, median_ns));
        g_assert_cmpint (spread_ns, >=, MIN (halves[i], median_ns));
        g_assert_cmpint (spread_ns, <=, MAX (median_ns, halves[i]));
        g_assert_true (i == 0 || spread_ns >= last_ns);
        last_ns = spread_ns;
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stats/known", test_known);
  g_test_add_func ("/stats/one-sample", test_one_sample);
  g_test_add_func ("/stats/ranks", test_ranks);
  g_test_add_func ("/stats/coverage", test_coverage);
  g_test_add_func ("/stats/settled", test_settled);
  g_test_add_func ("/stats/company", test_company);
  g_test_add_func ("/stats/invariance", test_invariance);
  g_test_add_func ("/stats/quiet", test_quiet);
  g_test_add_func ("/stats/spread", test_spread);
  return g_test_run ();
}
