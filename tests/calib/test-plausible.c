/* test-plausible.c: figures that are refused, and those that must not be. */
#include "config.h"

#include "calib/columns.h"
#include "calib/facts.h"
#include "calib/plausible.h"

#include <string.h>

#define CACHE (G_GINT64_CONSTANT (32) << 20)

static const TpBounds bounds
    = { .peak_gflops = 400, .double_gflops = 200, .bandwidth_gbps = 80,
        .cache_bytes = CACHE };

static void
test_entries (void)
{
  static const struct
  {
    const char *dtype;
    gint64 flops, bytes, median_ns, half_ns;
    const char *fault;        /* NULL: believed */
  } cases[] = {
    { "float32", 100000000, 1 << 20, 1000000, 0, NULL },   /* the peak */
    { "float32", 350000000, 1 << 20, 1000000, 0, NULL },   /* tuned better */
    { "float32", 500000000, 1 << 20, 1000000, 0, "speed of 500 GFLOP/s" },
    { "float64", 150000000, 1 << 20, 1000000, 0, NULL },
    { "float64", 350000000, 1 << 20, 1000000, 0, "speed of 350 GFLOP/s" },
    { "int8", 1500000000, 1 << 20, 1000000, 0, NULL },     /* other units */
    { "float32", 500000000, 1 << 20, 1000000, 300000, NULL }, /* its noise */
    { "float32", 0, 1 << 20, 2000, 0, NULL },      /* in the cache: 524 GB/s */
    { "float32", 0, 4 * CACHE, 200000, 0, NULL },  /* may be, in part */
    { "float32", 0, 8 * CACHE, 8000000, 0, NULL }, /* 34 GB/s */
    { "float32", 0, 8 * CACHE, 1000000, 0, "bandwidth of 268 GB/s" },
    { "int8", 0, 8 * CACHE, 1000000, 0, "bandwidth of 268 GB/s" },
    { "float32", 0, 64, 0, 0, "no time" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const TpEntryRow entry
          = { .dtype = (char *) cases[i].dtype,
              .stats = { .n = 9, .median_ns = cases[i].median_ns,
                         .half_ns = cases[i].half_ns },
              .work = { .flops = cases[i].flops,
                        .read_bytes = cases[i].bytes / 2,
                        .written_bytes = cases[i].bytes / 2 } };
      g_autofree char *fault = tp_plausible_find_fault (&bounds, &entry);

      g_assert_cmpint (fault == NULL, ==, cases[i].fault == NULL);
      if (fault != NULL)
        g_assert_nonnull (strstr (fault, cases[i].fault));
    }
}

/* Sums of bytes may be done by fours. */
static void
test_bytes (void)
{
  for (gint64 percent = 0; percent <= 100; percent += 20)
    {
      gint64 flops = 1500000000;
      const TpEntryRow entry
          = { .dtype = (char *) "float32",
              .stats = { .n = 9, .median_ns = 1000000 },
              .work = { .flops = flops, .byte_flops = flops / 100 * percent } };
      g_autofree char *fault = tp_plausible_find_fault (&bounds, &entry);

      /* 1500 and 375 GFLOP/s at the ends, 400 are possible */
      g_assert_cmpint (fault == NULL, ==, percent == 100);
    }
}

/* The constants count, and the processors of this machine where those are poor:
 * measured in company they must not condemn what is right. */
static void
test_limits (void)
{
  const TpDeviceRow gpu = { .peak_gflops = 1e6, .bandwidth_gbps = 5000 };
  const TpDeviceRow poor = { .peak_gflops = 1e-3, .bandwidth_gbps = 1e-3 };
  TpBounds found;

  tp_plausible_find_bounds (&found, &gpu, 300000);
  g_assert_cmpfloat (found.peak_gflops, ==, 4e6);
  g_assert_cmpfloat (found.bandwidth_gbps, ==, 20000);
  g_assert_cmpint (found.cache_bytes, >=, 32 << 20);
  tp_plausible_find_bounds (&found, &poor, 300000);
  g_assert_cmpfloat (found.peak_gflops, >, 2);
  g_assert_cmpfloat (found.bandwidth_gbps, >=, 4 * 27);
}

/* What nobody says is no reason to disbelieve what was measured: in a root without
 * /proc 4 lanes at 2.5 GHz were the most, and all of an AVX-512 processor was refused. */
static void
test_processors (void)
{
  const char *avx2 = "flags\t\t: fpu sse2 fma avx2\ncpu MHz\t\t: 2445.1\n";
  const char *fast = "flags\t\t: fpu avx2 avx512f\ncpu MHz\t\t: 4000\n";
  const char *arm = "BogoMIPS\t: 50.00\nFeatures\t: fp asimd sve\n";

  g_assert_cmpfloat (tp_facts_bound_gflops_by (avx2), ==, 8 * 4 * 5);
  g_assert_cmpfloat (tp_facts_bound_gflops_by (fast), ==, 16 * 4 * 8);
  g_assert_cmpfloat (tp_facts_bound_gflops_by (""), ==, 16 * 4 * 5);
  g_assert_cmpfloat (tp_facts_bound_gflops_by (arm), ==, 16 * 4 * 5);
}

static void
test_links (void)
{
  TpFit good = { .base_ns = 20000, .per_byte_ns = 0.04 };
  TpFit bad = { .base_ns = 114000, .per_byte_ns = 8e-5, .residual = 0.76 };
  TpFit points = { .base_ns = 50 };
  g_autofree char *fault = NULL, *other = NULL;

  g_assert_null (tp_plausible_bound_link (&good, 20, "to the host"));
  g_assert_cmpfloat (good.per_byte_ns, ==, 0.04);
  fault = tp_plausible_bound_link (&bad, 20, "to the device");
  g_assert_nonnull (strstr (fault, "to the device"));
  g_assert_cmpfloat (tp_fit_evaluate_ns (&bad, 1e9), >=, 1e9 / 20);
  g_assert_true (tp_fit_points_from_text ("4:50 1048576:50 67108864:60",
                                          &points));
  other = tp_plausible_bound_link (&points, 20, "to the device");
  g_assert_nonnull (other);
  g_assert_cmpfloat (tp_fit_evaluate_ns (&points, 1 << 26), >=, (1 << 26) / 20.0);
  g_assert_null (tp_plausible_bound_link (&points, 20, "to the device"));
}

/* Constants too fast, or none at all, are bounded; others stay as they are. */
static void
test_device (void)
{
  static const struct
  {
    gboolean is_host;
    double peak_gflops, bandwidth_gbps;
    gboolean is_believed;
  } cases[] = {
    { FALSE, 67000, 3350, TRUE },        /* the fastest there is now */
    { FALSE, 2e7, 3350, FALSE },
    { FALSE, 1000, 2e6, FALSE },
    { FALSE, -1, 100, FALSE },
    { TRUE, 1, 1, TRUE },
    { TRUE, 5e6, 100, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      TpDeviceRow row = { .is_host = cases[i].is_host,
                          .peak_gflops = cases[i].peak_gflops,
                          .bandwidth_gbps = cases[i].bandwidth_gbps };
      g_autofree char *fault = tp_plausible_bound_device (&row);
      g_autofree char *again = tp_plausible_bound_device (&row);

      g_assert_cmpint (fault == NULL, ==, cases[i].is_believed);
      g_assert_null (again);
      g_assert_true (fault != NULL
                     || row.peak_gflops == cases[i].peak_gflops);
    }
}

/* In 1000 ns by the caller's clock. */
static void
test_stamps (void)
{
  static const struct
  {
    TpStamp stamps[3];
    guint n;
    gboolean is_believed;
  } cases[] = {
    { { { 50, 400, 0 }, { 400, 500, 0 }, { 510, 900, 0 } }, 3, TRUE },
    { { { 50, 400, 0 }, { 390, 500, 0 }, { 510, 900, 0 } }, 3, TRUE }, /* they overlap */
    { { { 50, 400, 0 } }, 1, TRUE },
    { { { 50, 400, 0 } }, 0, FALSE },
    { { { 50, 50, 0 } }, 1, FALSE },
    { { { 0, 400, 0 } }, 1, FALSE },
    { { { 50, 400, 0 }, { 400, 300, 0 }, { 510, 900, 0 } }, 3, FALSE },
    { { { 50, 400, 0 }, { 400, -1, 0 }, { 510, 900, 0 } }, 3, FALSE },
    { { { -1, 400, 0 }, { 400, 500, 0 }, { 510, 900, 0 } }, 3, FALSE },
    { { { 50, 400, 0 }, { 400, 500, 0 }, { 510, G_MAXINT64, 0 } }, 3, FALSE },
    { { { 50, G_MAXINT64, 0 }, { 400, 500, 0 }, { 510, 900, 0 } }, 3, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (tp_plausible_stamps (cases[i].stamps, cases[i].n, 1000),
                     ==, cases[i].is_believed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plausible/entries", test_entries);
  g_test_add_func ("/plausible/bytes", test_bytes);
  g_test_add_func ("/plausible/limits", test_limits);
  g_test_add_func ("/plausible/processors", test_processors);
  g_test_add_func ("/plausible/links", test_links);
  g_test_add_func ("/plausible/device", test_device);
  g_test_add_func ("/plausible/stamps", test_stamps);
  return g_test_run ();
}
