/* test-region.c: memory by the region: alignment, budget, owners. */
#include "config.h"

#include "ir/region.h"

#include <string.h>

static void
test_alloc (void)
{
  g_autoptr (TpRegion) region = tp_region_new (TP_REGION_NO_BUDGET);
  gint64 total = 0;

  for (int i = 0; i < 2000; i++)
    {
      gint64 n = g_test_rand_int_range (0, 3000);
      guint8 *p = tp_region_alloc (region, n, 1, NULL);

      g_assert_nonnull (p);
      g_assert_cmpint ((guintptr) p % (n >= 64 ? 64 : 16), ==, 0);
      for (gint64 j = 0; j < n; j++)
        g_assert_cmpint (p[j], ==, 0);
      memset (p, 0xff, n);
      total += n;
    }
  g_assert_cmpint (tp_region_get_used (region), ==, total);
}

/* Lists of integers and strings take what they have. */
static void
test_close (void)
{
  g_autoptr (TpRegion) region = tp_region_new (TP_REGION_NO_BUDGET);
  char *first = tp_region_strdup (region, "a", NULL);
  char *second = tp_region_strdup (region, "bc", NULL);
  int *numbers = tp_region_alloc (region, 3, sizeof (int), NULL);
  int *others = tp_region_alloc (region, 1, sizeof (int), NULL);
  gint64 *wide = tp_region_alloc (region, 1, sizeof (gint64), NULL);

  g_assert_true (second == first + 2);
  g_assert_cmpint ((guintptr) numbers % sizeof (int), ==, 0);
  g_assert_true (others == numbers + 3);
  g_assert_cmpint ((guintptr) wide % 16, ==, 0);
}

static void
test_budget (void)
{
  g_autoptr (TpRegion) region = tp_region_new (100);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (tp_region_alloc (region, 25, 4, &error));
  g_assert_nonnull (tp_region_alloc (region, 0, 4, &error));
  g_assert_null (tp_region_alloc (region, 1, 1, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
  tp_region_set_budget (region, 101);
  g_assert_nonnull (tp_region_alloc (region, 1, 1, NULL));
}

static void
test_overflow (void)
{
  g_autoptr (TpRegion) region = tp_region_new (TP_REGION_NO_BUDGET);
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_region_alloc (region, G_MAXINT64 / 2, 8, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
  g_clear_error (&error);
  g_assert_null (tp_region_alloc (region, -1, 8, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

static void
test_own (void)
{
  TpRegion *region = tp_region_new (TP_REGION_NO_BUDGET);
  GBytes *bytes = g_bytes_new ("ab", 2);
  char *text;

  tp_region_own (region, g_bytes_ref (bytes), (GDestroyNotify) g_bytes_unref);
  text = tp_region_strdup (region, "text", NULL);
  g_assert_cmpstr (text, ==, "text");
  tp_region_free (region);
  g_assert_cmpint (g_bytes_get_size (bytes), ==, 2);
  g_bytes_unref (bytes);
}

static void
count_call (gpointer data)
{
  ++*(int *) data;
}

/* What is in it stays until the last who holds it is gone. */
static void
test_ref (void)
{
  TpRegion *region = tp_region_new (TP_REGION_NO_BUDGET);
  int n_calls = 0;

  tp_region_own (region, &n_calls, count_call);
  g_assert_true (tp_region_ref (region) == region);
  tp_region_free (region);
  g_assert_cmpint (n_calls, ==, 0);
  tp_region_free (region);
  g_assert_cmpint (n_calls, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/region/alloc", test_alloc);
  g_test_add_func ("/region/close", test_close);
  g_test_add_func ("/region/budget", test_budget);
  g_test_add_func ("/region/overflow", test_overflow);
  g_test_add_func ("/region/own", test_own);
  g_test_add_func ("/region/ref", test_ref);
  return g_test_run ();
}
