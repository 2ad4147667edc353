/* test-pressure.c: for how long somebody waited, from files as Linux writes them, and from
 * such as it does not. */
#include "config.h"

#include "calib/pressure.h"
#include "calib/samples.h"

#include <glib/gstdio.h>

#define FULL "full avg10=0.00 avg60=0.00 avg300=0.00 total=99\n"

typedef struct
{
  const char *text;           /* NULL: there is no file */
  gint64 total_us;
} Case;

static const Case cases[] = {
  { "some avg10=1.50 avg60=0.20 avg300=0.00 total=1234567\n" FULL, 1234567 },
  { "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", 0 },
  { "some avg10=0.00 total=7", 7 },
  { FULL "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n", 5 },
  { NULL, -1 },
  { "", -1 },
  { FULL, -1 },
  { "some avg10=0.00 avg60=0.00 avg300=0.00\n", -1 },
  { "some total=\n", -1 },
  { "some total=-5\n", -1 },
  { "some total=12x\n", -1 },
  { "some total=1.5\n", -1 },
  { "some total=99999999999999999999\n", -1 },
  { "something total=5\n", -1 },
  { "some subtotal=5\n", -1 },
};

static void
test_read (void)
{
  g_autofree char *folder = g_dir_make_tmp ("tplan-pressure-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "cpu", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (cases[i].text != NULL)
        g_assert_true (g_file_set_contents (path, cases[i].text, -1, NULL));
      g_test_message ("%s", cases[i].text);
      g_assert_cmpint (tp_pressure_read_file (path), ==, cases[i].total_us);
      g_remove (path);
    }
  g_assert_cmpint (tp_pressure_read_file (folder), ==, -1);
  g_assert_cmpint (tp_pressure_read_file (NULL), ==, -1);
  g_rmdir (folder);
}

static void
test_group (void)
{
  g_autofree char *own
      = tp_pressure_find_group ("9:name=x:/\n0::/user/me\n", "/root");
  g_autofree char *first = tp_pressure_find_group ("0::/", "/root");
  g_autofree char *none = tp_pressure_find_group ("1:cpu:/a\n10::/b\n", "/root");

  g_assert_cmpstr (own, ==, "/root/user/me/cpu.pressure");
  g_assert_cmpstr (first, ==, "/root/cpu.pressure");
  g_assert_cmpstr (none, ==, NULL);
}

static gboolean
was_short (gint64 before_us, gint64 after_us, gint64 wall_us)
{
  const TpPressure begin = { { 0, before_us, 0 } };
  const TpPressure end = { { wall_us, after_us, wall_us } };

  return tp_pressure_was_short (&begin, &end, wall_us);
}

static void
test_short (void)
{
  g_assert_false (was_short (5, 5, 1000));
  g_assert_false (was_short (5, 15, 1000)); /* a hundredth */
  g_assert_true (was_short (5, 16, 1000));
  g_assert_true (was_short (0, 1, 0));
  g_assert_false (was_short (-1, 500, 1000));
  g_assert_false (was_short (5, -1, 1000));
  g_assert_false (was_short (500, 5, 1000)); /* it was counted anew */
}

/* What was taken while memory was short counts as disturbed, as long as there is enough
 * that was not. */
static void
test_samples (void)
{
  const TpProcessors least = { 0 };
  TpSample samples[20] = { 0 };
  TpStats stats;

  for (int i = 0; i < 20; i++)
    samples[i] = (TpSample){ .time_ns = i < 8 ? 5000 : 1000 + i,
                             .is_starved = i < 8 };
  g_assert_cmpint (tp_samples_compute (samples, 20, &least, &stats), ==, 8);
  g_assert_cmpint (stats.median_ns, <, 1100);
}

/* The system's own, where it has any, only rise. */
static void
test_system (void)
{
  TpPressure begin, end;

  tp_pressure_read (&begin);
  tp_pressure_read (&end);
  for (int i = 0; i < TP_N_PRESSURES; i++)
    {
      g_assert_cmpint (begin.some_us[i], >=, -1);
      g_assert_cmpint (end.some_us[i], >=, begin.some_us[i]);
    }
  tp_pressure_read_memory (&end);
  g_assert_cmpint (end.some_us[TP_PRESSURE_CPU], ==, -1);
  g_assert_cmpint (end.some_us[TP_PRESSURE_MEMORY], >=,
                   begin.some_us[TP_PRESSURE_MEMORY]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pressure/read", test_read);
  g_test_add_func ("/pressure/group", test_group);
  g_test_add_func ("/pressure/short", test_short);
  g_test_add_func ("/pressure/samples", test_samples);
  g_test_add_func ("/pressure/system", test_system);
  return g_test_run ();
}
