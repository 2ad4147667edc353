/* test-stats.c: medians, intervals and fits against values known by hand. */
#include "config.h"

#include "calib/stats.h"

#include <math.h>

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

static void
test_fit (void)
{
  double x[8], y[8], line[2], residual;

  for (int i = 0; i < 8; i++)
    {
      x[i] = 4 * pow (16, i * 6 / 7.0);
      y[i] = 1500 + 0.1 * x[i];
    }
  tp_stats_fit_line (x, y, 8, line, &residual);
  g_assert_cmpfloat_with_epsilon (line[0], 1500, 0.01);
  g_assert_cmpfloat_with_epsilon (line[1], 0.1, 1e-6);
  g_assert_cmpfloat (residual, <, 1e-6);
  y[3] *= 1.5;
  tp_stats_fit_line (x, y, 8, line, &residual);
  g_assert_cmpfloat (residual, >, 0.1);
}

/* No size may come out as free or as negative. */
static void
test_fit_bounds (void)
{
  const double x[] = { 4, 8, 16 }, falling[] = { 30, 20, 10 };
  const double steep[] = { 1, 3, 100 };
  double line[2], residual;

  tp_stats_fit_line (x, falling, 3, line, &residual);
  g_assert_cmpfloat (line[0], >, 0);
  g_assert_cmpfloat (line[1], ==, 0);
  tp_stats_fit_line (x, steep, 3, line, &residual);
  g_assert_cmpfloat (line[0], >=, 0);
  g_assert_cmpfloat (line[1], >, 0);
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
  g_test_add_func ("/stats/fit", test_fit);
  g_test_add_func ("/stats/fit-bounds", test_fit_bounds);
  return g_test_run ();
}
