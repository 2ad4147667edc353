/* test-sittings.c: figures of a kernel from several processes as one. */
#include "config.h"

#include "cost-rows.h"
#include "calib/sittings.h"
#include "draw-normal.h"

#include <math.h>

static TpStats
make_stats (gint64 median_ns, gint64 half_ns)
{
  return (TpStats){ .n = 9, .min_ns = median_ns * 9 / 10, .median_ns = median_ns,
                    .mad_ns = median_ns / 100, .half_ns = half_ns };
}

static gint64
combine (const TpStats *a, const TpStats *b, const TpStats *c, TpStats *out_all)
{
  TpStats all[] = { *a, *b, *c };

  tp_stats_combine (all, 3, out_all);
  return out_all->median_ns;
}

/* One is what it was; of several the slowest does not count where it is far off, in
 * whatever order. */
static void
test_combine (void)
{
  const TpStats one = make_stats (100000, 1500), two = make_stats (104000, 1500),
                slow = make_stats (190000, 2000);
  TpStats alone = one, both[] = { two, one }, far[] = { slow, one }, all;

  tp_stats_combine (&alone, 1, &all);
  g_assert_cmpint (all.median_ns, ==, 100000);
  g_assert_cmpint (all.n, ==, 9);
  g_assert_cmpint (all.half_ns, ==, tp_stats_find_spread (&one));
  tp_stats_combine (both, 2, &all);
  g_assert_cmpint (all.median_ns, ==, 102000);
  g_assert_cmpint (all.n, ==, 18);
  g_assert_cmpint (all.min_ns, ==, 90000);
  g_assert_cmpint (all.half_ns, >, 2000); /* so far they are from their mean */
  g_assert_cmpint (all.half_ns, <, tp_stats_find_spread (&one));
  g_assert_cmpint (combine (&one, &two, &slow, &all), ==, 102000);
  g_assert_cmpint (combine (&slow, &one, &two, &all), ==, 102000);
  g_assert_cmpint (combine (&two, &slow, &one, &all), ==, 102000);
  g_assert_cmpint (combine (&two, &two, &one, &all), ==, 308000 / 3);
  g_assert_cmpint (combine (&slow, &slow, &two, &all), ==, (380000 + 104000) / 3);
  g_assert_cmpint (all.half_ns, >=, 43000); /* they do not agree */
  tp_stats_combine (far, 2, &all);
  g_assert_cmpint (all.median_ns, ==, 100000);
  g_assert_cmpint (all.half_ns, ==, tp_stats_find_spread (&one));
}

/* Processes differ by 2.5 %, and one in eight is slow by half: three are off by much
 * less than one, and their interval holds the truth. */
static void
test_surer (void)
{
  const gint64 truth_ns = 1000000;
  double one_sum = 0, all_sum = 0;
  int n_within = 0;

  for (int i = 0; i < 2000; i++)
    {
      TpStats sittings[TP_SITTINGS_MOST], all;

      for (int k = 0; k < TP_SITTINGS_MOST; k++)
        {
          double slow = g_test_rand_int_range (0, 8) == 0 ? 1.5 : 1;

          sittings[k] = make_stats (
              (gint64) (truth_ns * slow * exp (tp_test_draw_normal (0.025))), 15000);
        }
      one_sum += fabs (log ((double) sittings[0].median_ns / truth_ns));
      tp_stats_combine (sittings, TP_SITTINGS_MOST, &all);
      all_sum += fabs (log ((double) all.median_ns / truth_ns));
      n_within += ABS (all.median_ns - truth_ns) <= all.half_ns;
    }
  g_test_message ("one is off by %.2f %%, three by %.2f %%, %d of 2000 within",
                  one_sum / 20, all_sum / 20, n_within);
  g_assert_cmpfloat (all_sum, <, 0.5 * one_sum);
  g_assert_cmpint (n_within, >, 1700);
}

static void
take (TpSittings *sittings, const char *schedule, gint64 median_ns,
      TpEntryState state, gint64 expected_ns)
{
  TpEntryRow *row = make_entry (1, 1);

  set_text (&row->schedule, schedule);
  row->state = state;
  row->stats = make_stats (median_ns, 1500);
  tp_sittings_take (sittings, row);
  g_assert_cmpint (row->stats.median_ns, ==, expected_ns);
  tp_entry_row_free (row);
}

/* What one tells of a kernel later is in place of what it told before; other kernels,
 * and what was before a sitting began anew, have no part in it. */
static void
test_take (void)
{
  TpSittings *sittings = tp_sittings_new ();

  tp_sittings_begin (sittings, 0);
  take (sittings, "a", 300000, TP_ENTRY_PROVISIONAL, 300000);
  take (sittings, "a", 100000, TP_ENTRY_SETTLED, 100000);
  take (sittings, "b", 900000, TP_ENTRY_SETTLED, 900000);
  tp_sittings_begin (sittings, 1);
  take (sittings, "a", 102000, TP_ENTRY_SETTLED, 101000);
  tp_sittings_begin (sittings, 2);
  take (sittings, "a", 500000, TP_ENTRY_PROVISIONAL, 101000);
  take (sittings, "a", 104000, TP_ENTRY_SETTLED, 102000);
  tp_sittings_begin (sittings, 1);
  take (sittings, "a", 99000, TP_ENTRY_SETTLED, 101000);
  tp_sittings_free (sittings);
  tp_sittings_free (NULL);
}

static void
take_near (TpSittings *sittings, gint64 handover_ns, int n, gint64 median_ns,
           TpEntryRow *row)
{
  row->processors = (TpProcessors){ .handover_ns = handover_ns };
  row->state = handover_ns > 100 ? TP_ENTRY_SETTLED : TP_ENTRY_PROVISIONAL;
  row->stats = make_stats (median_ns, 1500);
  row->stats.n = n;
  tp_sittings_take (sittings, row);
}

/* Settled in one is settled; what was measured while processors were apart, or hardly
 * at all, counts only as long as there is nothing better. */
static void
test_better (void)
{
  TpSittings *sittings = tp_sittings_new ();
  TpEntryRow *row = make_entry (1, 1);

  tp_sittings_begin (sittings, 0);
  take_near (sittings, 300, 2, 103000, row);
  tp_sittings_begin (sittings, 1);
  take_near (sittings, 300, 3, 101000, row);
  g_assert_cmpint (row->stats.median_ns, ==, 102000);
  g_assert_cmpint (row->processors.handover_ns, ==, 300);
  tp_sittings_begin (sittings, 0);
  take_near (sittings, 60, 20, 100000, row);
  g_assert_cmpint (row->stats.median_ns, ==, 100000);
  g_assert_cmpint (row->processors.handover_ns, ==, 60);
  g_assert_cmpint (row->state, ==, TP_ENTRY_SETTLED);
  tp_sittings_begin (sittings, 2);
  take_near (sittings, 60, 2, 104000, row);
  g_assert_cmpint (row->stats.median_ns, ==, 100000);
  take_near (sittings, 60, 9, 104000, row);
  g_assert_cmpint (row->stats.median_ns, ==, 102000);
  tp_entry_row_free (row);
  tp_sittings_free (sittings);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sittings/combine", test_combine);
  g_test_add_func ("/sittings/surer", test_surer);
  g_test_add_func ("/sittings/take", test_take);
  g_test_add_func ("/sittings/better", test_better);
  return g_test_run ();
}
