/* test-fit.c: times of copies: lines that neither a bad point nor one process owns,
 * points that never fall, and their text. */
#include "config.h"

#include "calib/transfers.h"

#include <math.h>

#define N 8

static const double sizes[N]
    = { 4, 256, 4096, 65536, 1 << 19, 4 << 20, 16 << 20, 64 << 20 };

static void
make_line (double base, double slope, TpFitPoint *points)
{
  for (int i = 0; i < N; i++)
    points[i] = (TpFitPoint){ sizes[i], base + slope * sizes[i] };
}

static void
assert_near (double value, double wanted, double relative)
{
  g_assert_cmpfloat (fabs (value - wanted), <=, relative * wanted);
}

static void
test_exact (void)
{
  static const double lines[][2]
      = { { 1500, 0.1 }, { 20000, 0.03 }, { 100, 1 }, { 50000, 0 }, { 0, 2 } };

  for (guint k = 0; k < G_N_ELEMENTS (lines); k++)
    {
      TpFitPoint points[N];
      TpFit fit;

      make_line (lines[k][0], lines[k][1], points);
      tp_fit_line (points, N, &fit);
      g_assert_cmpfloat_with_epsilon (fit.base_ns, lines[k][0], 0.1);
      g_assert_cmpfloat_with_epsilon (fit.per_byte_ns, lines[k][1], 1e-6);
      g_assert_cmpfloat (fit.residual, <, 1e-3);
      g_assert_cmpint (fit.n_points, ==, 0);
    }
}

/* One point off by any factor, anywhere, moves the line by no more than the
 * noise of the others; and the residual tells of it. */
static void
test_bad_point (void)
{
  static const double factors[] = { 0.0025, 0.2, 0.5, 2, 5, 400 };

  for (int bad = 0; bad < N; bad++)
    for (guint k = 0; k < G_N_ELEMENTS (factors); k++)
      {
        TpFitPoint points[N];
        TpFit fit;

        make_line (20000, 0.1, points);
        for (int i = 0; i < N; i++)
          points[i].time_ns *= g_test_rand_double_range (0.98, 1.02);
        points[bad].time_ns *= factors[k];
        tp_fit_line (points, N, &fit);
        assert_near (fit.base_ns, 20000, 0.1);
        assert_near (fit.per_byte_ns, 0.1, 0.1);
        g_assert_cmpfloat (fit.residual, >, TP_FIT_GOOD);
      }
}

/* No size is free, none is negative, and more bytes never take less. */
static void
test_bounds (void)
{
  for (int trial = 0; trial < 500; trial++)
    {
      TpFitPoint points[N];
      double last = 0;
      TpFit fit;

      for (int i = 0; i < N; i++)
        points[i] = (TpFitPoint){ sizes[i],
                                  exp (g_test_rand_double_range (0, 15)) };
      tp_fit_line (points, N, &fit);
      g_assert_cmpfloat (fit.base_ns, >=, 0);
      g_assert_cmpfloat (fit.per_byte_ns, >=, 0);
      if (trial % 2 == 1)
        tp_fit_keep_points (&fit, points, N);
      for (double bytes = 0; bytes < 1e9; bytes = bytes * 1.7 + 1)
        {
          double time_ns = tp_fit_evaluate_ns (&fit, bytes);

          g_assert_cmpfloat (time_ns, >=, 1);
          g_assert_cmpfloat (time_ns, >=, last);
          last = time_ns;
        }
    }
}

/* What rises is kept as it is; what does not is levelled, not dropped. */
static void
test_points (void)
{
  const TpFitPoint rising[] = { { 4, 100 }, { 64, 200 }, { 1024, 400 } };
  const TpFitPoint falling[] = { { 4, 100 }, { 64, 300 }, { 1024, 200 } };
  TpFit fit = { .residual = 1 };

  tp_fit_keep_points (&fit, rising, 3);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&fit, 1), ==, 100);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&fit, 34), ==, 150);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&fit, 1024), ==, 400);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&fit, 1984), ==, 600);
  g_assert_cmpfloat (tp_fit_find_residual (&fit, rising, 3), ==, 0);
  tp_fit_keep_points (&fit, falling, 3);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&fit, 64), ==, 250);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&fit, 1 << 20), ==, 250);
  g_assert_cmpfloat (tp_fit_find_residual (&fit, falling, 3), ==, 0.25);
}

static void
make_times (double base, double slope, TpTransferTimes *out_times)
{
  TpFitPoint points[TP_TRANSFER_SIZES];

  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
    {
      points[i].bytes = tp_transfers_get_size (i);
      out_times->to_device_ns[i] = base + slope * points[i].bytes;
      out_times->to_host_ns[i] = 2 * out_times->to_device_ns[i];
    }
}

/* One process of three owns neither base nor slope, and leaves its trace in how sure
 * they are. */
static void
test_sittings (void)
{
  static const double odd[][2] = { { 33000, 0.1 }, { 22000, 0.19 },
                                   { 11000, 0.04 }, { 44000, 0.2 } };

  for (guint k = 0; k < 3 * G_N_ELEMENTS (odd); k++)
    {
      TpTransferTimes sittings[3];
      TpFit to_device, to_host;

      for (guint i = 0; i < 3; i++)
        make_times (i == k % 3 ? odd[k / 3][0] : 22000,
                    i == k % 3 ? odd[k / 3][1] : 0.1, &sittings[i]);
      tp_transfers_fit (sittings, 3, &to_device, &to_host);
      assert_near (tp_fit_evaluate_ns (&to_device, 4), 22000, 1e-3);
      assert_near (tp_fit_evaluate_ns (&to_host, 16 << 20),
                   2 * (22000 + 0.1 * (16 << 20)), 1e-3);
      g_assert_cmpfloat (to_device.residual, >, 0.1);
      g_assert_cmpfloat (to_device.residual, <, 0.35);
      assert_near (to_host.residual, to_device.residual, 1e-9);
    }
}

/* Those that agree are as sure as their line; two are not less than they are apart. */
static void
test_alike (void)
{
  TpTransferTimes sittings[3];
  TpFit one, three, two;

  for (int i = 0; i < 3; i++)
    make_times (22000, 0.1, &sittings[i]);
  tp_transfers_fit (sittings, 1, &one, &two);
  tp_transfers_fit (sittings, 3, &three, &two);
  g_assert_cmpfloat (three.residual, ==, one.residual);
  g_assert_cmpfloat (three.residual, <, 1e-3);
  g_assert_cmpint (three.n_points, ==, 0);
  make_times (30000, 0.1, &sittings[1]);
  tp_transfers_fit (sittings, 2, &one, &two);
  assert_near (tp_fit_evaluate_ns (&one, 4), 22000, 1e-3);
  assert_near (one.residual, 4000.0 / 22000 / sqrt (2), 1e-3);
}

/* What is no such message is refused; what is comes back. */
static void
test_message (void)
{
  TpTransferTimes times;
  gint64 took_us;
  int device;
  GVariantBuilder packed;
  g_autoptr (GVariant) other = g_variant_ref_sink (g_variant_new ("(ix)", 1, (gint64) 2));
  g_autoptr (GVariant) good = NULL, bad = NULL;

  g_assert_false (tp_transfers_read (other, &device, &took_us, &times));
  for (int last = 0; last < 2; last++)
    {
      GVariant **it = last ? &good : &bad;

      g_variant_builder_init (&packed, G_VARIANT_TYPE ("ad"));
      for (int i = 0; i < 2 * TP_TRANSFER_SIZES; i++)
        g_variant_builder_add (&packed, "d", last ? 10.0 + i : 0.0);
      *it = g_variant_ref_sink (g_variant_new ("(ixad)", 3, (gint64) 5, &packed));
    }
  g_assert_false (tp_transfers_read (bad, &device, &took_us, &times));
  g_assert_true (tp_transfers_read (good, &device, &took_us, &times));
  g_assert_cmpint (device, ==, 3);
  g_assert_cmpint (took_us, ==, 5);
  g_assert_cmpfloat (times.to_device_ns[0], ==, 10);
  g_assert_cmpfloat (times.to_host_ns[TP_TRANSFER_SIZES - 1], ==,
                     9.0 + 2 * TP_TRANSFER_SIZES);
}

/* Neither a lucky pass nor slow ones decide; two must agree. */
static void
test_passes (void)
{
  const TpFitPoint passes[][2] = { { { 4, 100 }, { 64, 900 } },
                                   { { 4, 20 }, { 64, 310 } },
                                   { { 4, 104 }, { 64, 300 } },
                                   { { 4, 500 }, { 64, 341 } } };
  TpFitPoint points[2];

  g_assert_true (isinf (tp_fit_join_passes (passes[0], 1, 2, points)));
  g_assert_cmpfloat (points[1].time_ns, ==, 900);
  g_assert_true (isinf (tp_fit_join_passes (passes[0], 2, 2, points)));
  g_assert_cmpfloat (tp_fit_join_passes (passes[0], 4, 2, points), ==,
                     341.0 / 310 - 1);
  g_assert_cmpfloat (points[0].bytes, ==, 4);
  g_assert_cmpfloat (points[0].time_ns, ==, 100);
  g_assert_cmpfloat (points[1].bytes, ==, 64);
  g_assert_cmpfloat (points[1].time_ns, ==, 310);
}

static void
test_text (void)
{
  static const char *const bad[]
      = { "4", "4:", ":5", "4:5,", "4:5 4:6", "8:5 4:6", "4:5 8:4", "4:0",
          "-4:5", "4:nan", " ", "4:5  8:9", "4:inf" };
  const TpFitPoint points[] = { { 4, 100.5 }, { 64, 1 / 3.0 * 1000 } };
  TpFit fit = { 0 }, copy = { 0 };
  g_autofree char *text = NULL, *again = NULL;

  tp_fit_keep_points (&fit, points, 2);
  text = tp_fit_points_to_text (&fit);
  g_assert_true (tp_fit_points_from_text (text, &copy));
  again = tp_fit_points_to_text (&copy);
  g_assert_cmpstr (text, ==, again);
  g_assert_cmpfloat (copy.points[1].time_ns, ==, fit.points[1].time_ns);
  g_assert_true (tp_fit_points_from_text ("", &copy));
  g_assert_cmpint (copy.n_points, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (tp_fit_points_from_text (bad[i], &copy));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fit/exact", test_exact);
  g_test_add_func ("/fit/bad-point", test_bad_point);
  g_test_add_func ("/fit/bounds", test_bounds);
  g_test_add_func ("/fit/points", test_points);
  g_test_add_func ("/fit/passes", test_passes);
  g_test_add_func ("/fit/text", test_text);
  g_test_add_func ("/fit/sittings", test_sittings);
  g_test_add_func ("/fit/alike", test_alike);
  g_test_add_func ("/fit/message", test_message);
  return g_test_run ();
}
