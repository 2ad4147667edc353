/* test-stamped.c: times of launches by two clocks. */
#include "config.h"

#include "calib/stamped.h"

#include <math.h>

#define N 40

/* @n launches, their kernels a share of the time; returns the time of all. */
static gint64
draw (TpStamp *stamps, int n, gint64 *out_busy_ns)
{
  gint64 now = g_test_rand_int_range (1, 1000000), begin = 0;

  *out_busy_ns = 0;
  for (int i = 0; i < n; i++)
    {
      gint64 gap = g_test_rand_int_range (0, 20000);
      gint64 span = g_test_rand_int_range (1, 200000);
      gint64 busy = g_test_rand_int_range (1, (int) span + 1);

      now += gap;
      if (i == 0)
        begin = now;
      stamps[i] = (TpStamp){ now, now + span, busy };
      *out_busy_ns += busy;
      now += span;
    }
  return now - begin;
}

/* Where clocks agree times add up to the caller's, none is less than its kernels
 * take, and what is between kernels shrinks alike. */
static void
test_whole (void)
{
  for (int round = 0; round < 2000; round++)
    {
      TpStamp stamps[N];
      gint64 times[N], busy, sum = 0, all, whole;
      int n = g_test_rand_int_range (1, N + 1);

      all = draw (stamps, n, &busy);
      whole = busy + (gint64) ((all - busy + 40000.0 * n)
                               * g_test_rand_double ());
      g_assert_cmpfloat (tp_stamped_spread (stamps, n, whole, times), ==, 1);
      for (int i = 0; i < n; i++)
        {
          g_assert_cmpint (times[i], >=, stamps[i].busy_ns);
          sum += times[i];
        }
      g_assert_cmpint (ABS (sum - whole), <=, 2 * n);
    }
}

/* Where they cannot, times are the device's, and the rest is a factor. */
static void
test_factor (void)
{
  for (int round = 0; round < 2000; round++)
    {
      TpStamp stamps[N];
      gint64 times[N], busy, sum = 0, all;
      int n = g_test_rand_int_range (1, N + 1);
      double scale, whole;

      all = draw (stamps, n, &busy);
      whole = round % 2 == 0 ? 0.9 * busy : all + 60000.0 * n;
      scale = tp_stamped_spread (stamps, n, (gint64) whole, times);
      for (int i = 0; i < n; i++)
        sum += times[i];
      g_assert_cmpint (sum, ==, round % 2 == 0 ? busy : all);
      g_assert_cmpfloat (fabs (sum * scale - whole), <=, 2);
    }
}

/* A large kernel does not share what short ones cost to launch. */
static void
test_large (void)
{
  const TpStamp stamps[] = { { 1000, 3000, 2000 },
                             { 20000, 22000, 2000 },
                             { 39000, 1039000, 1000000 },
                             { 1056000, 1058000, 2000 } };
  gint64 times[4];

  g_assert_cmpfloat (tp_stamped_spread (stamps, 4, 1018000, times), ==, 1);
  g_assert_cmpint (times[0], ==, 2000);
  g_assert_cmpint (times[1], ==, 6000);
  g_assert_cmpint (times[2], ==, 1004000);
  g_assert_cmpint (times[3], ==, 6000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stamped/whole", test_whole);
  g_test_add_func ("/stamped/factor", test_factor);
  g_test_add_func ("/stamped/large", test_large);
  return g_test_run ();
}
