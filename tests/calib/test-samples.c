/* test-samples.c: which samples are disturbed, and what becomes of the places of
 * a kernel. No clock decides. */
#include "config.h"

#include "calib/near.h"
#include "calib/tracks.h"

#define QUIET_NS 100000000

static const TpProcessors unknown;

static TpSample
make_sample (gint64 time_ns, double share, int n_preempted)
{
  return (TpSample){ .time_ns = time_ns, .cpu_ns = (gint64) (share * time_ns),
                     .n_preempted = n_preempted };
}

static void
test_disturbed (void)
{
  const TpSample samples[] = {
    make_sample (QUIET_NS, 2.0, 0),     make_sample (QUIET_NS, 1.95, 0),
    make_sample (3 * QUIET_NS, 1.9, 1), /* gave its processor up */
    make_sample (2 * QUIET_NS, 1.0, 0), /* a worker was away all the time */
    make_sample (3000, 0.1, 0),         /* too short to tell by its share */
    make_sample (QUIET_NS, 0, 0),       /* one of several that were counted together */
  };
  const TpSample waiting[] = { make_sample (QUIET_NS, 0.02, 0),
                               make_sample (QUIET_NS, 0.2, 0) };
  gboolean is_disturbed[6];

  tp_samples_find_disturbed (samples, 6, &unknown, is_disturbed);
  g_assert_false (is_disturbed[0] || is_disturbed[1]);
  g_assert_true (is_disturbed[2] && is_disturbed[3]);
  g_assert_false (is_disturbed[4] || is_disturbed[5]);
  tp_samples_find_disturbed (waiting, 2, &unknown, is_disturbed);
  g_assert_false (is_disturbed[0] || is_disturbed[1]);
}

/* What is counted together: one that is not there is left alone, and processor time is
 * told only of what was there by itself. */
static void
test_counted (void)
{
  const int alone[] = { 0 }, row[] = { 1, 2, 3 };
  TpSample samples[4] = { 0 }, begin;

  tp_sample_begin (&begin);
  begin.n_preempted -= 2;
  begin.cpu_ns -= 12345;
  tp_sample_begin_next (&begin);
  tp_sample_end_next (&begin, &samples[0]);
  tp_sample_count (&begin, alone, 1, samples);
  g_assert_cmpint (samples[0].time_ns, >, 0);
  g_assert_cmpint (samples[0].cpu_ns, >=, 12345);
  g_assert_cmpint (samples[0].n_preempted, >=, 2);
  begin.n_preempted -= 3;
  for (int i = 1; i <= 2; i++)
    {
      tp_sample_begin_next (&begin);
      tp_sample_end_next (&begin, &samples[i]);
      samples[i].n_preempted = i;
    }
  tp_sample_count (&begin, row, 3, samples);
  for (int i = 1; i <= 2; i++)
    {
      g_assert_cmpint (samples[i].n_preempted, >=, i + 3);
      g_assert_cmpint (samples[i].cpu_ns, ==, 0);
    }
  g_assert_cmpint (samples[3].time_ns, ==, 0);
}

/* Two threads, in four milliseconds from tick to tick: one in ten runs has the time
 * that another thread had since the last, the others have only the caller's. */
static void
test_booked_by_ticks (void)
{
  TpSample samples[300];
  gboolean is_disturbed[300];

  for (int i = 0; i < 300; i++)
    samples[i] = make_sample (400000 + i, i % 10 == 7 ? 11 : 1, 0);
  tp_samples_find_disturbed (samples, 300, &unknown, is_disturbed);
  for (int i = 0; i < 300; i++)
    g_assert_false (is_disturbed[i]);
}

/* Processor time that the system booked late says nothing of the others. */
static void
test_booked_late (void)
{
  TpSample samples[300];
  gboolean is_disturbed[300];

  for (int i = 0; i < 300; i++)
    samples[i] = make_sample (QUIET_NS + i, i == 77 ? 38 : 1.04, 0);
  tp_samples_find_disturbed (samples, 300, &unknown, is_disturbed);
  for (int i = 0; i < 300; i++)
    g_assert_false (is_disturbed[i]);
}

/* Half of them on one thread, as tight a mode as the other, and lower in number
 * of samples: what the system tells decides. */
static void
test_estimate (void)
{
  TpSample samples[24];
  TpStats stats;

  for (int i = 0; i < 24; i++)
    samples[i] = i % 3 == 0 ? make_sample (QUIET_NS + i * 10, 2, 0)
                            : make_sample (2 * QUIET_NS + i * 10, 1, i % 2);
  g_assert_cmpint (tp_samples_compute (samples, 24, &unknown, &stats), ==, 16);
  g_assert_cmpint (stats.n, ==, 8);
  g_assert_cmpint (ABS (stats.median_ns - QUIET_NS), <, QUIET_NS / 100);
  /* too few are clean: all must do, and the fast mode of them */
  g_assert_cmpint (tp_samples_compute (samples, 15, &unknown, &stats), ==, 10);
  g_assert_cmpint (ABS (stats.median_ns - QUIET_NS), <, QUIET_NS / 100);
}

/* All alike and all disturbed: that they agree says nothing. */
static void
test_no_witness (void)
{
  TpSample samples[20];
  TpStats stats;

  for (int i = 0; i < 20; i++)
    samples[i] = make_sample (2 * QUIET_NS + i, 1, 1);
  g_assert_cmpint (tp_samples_compute (samples, 20, &unknown, &stats), ==, 20);
  g_assert_cmpint (stats.half_ns, >=, stats.median_ns / 4);
  g_assert_false (tp_stats_is_settled (&stats, 9));
}

/* Two thirds were taken while processors were apart: tight, many, alike in all
 * counters, and slow. Without a hand-over to compare with they are the truth. */
static void
test_apart (void)
{
  TpSample samples[30];
  const TpProcessors near = { .handover_ns = 90 };
  const TpProcessors far = { .handover_ns = 310 };
  TpStats stats;

  for (int i = 0; i < 30; i++)
    {
      samples[i] = make_sample ((i % 3 == 0 ? 1 : 4) * QUIET_NS + i, 2, 0);
      samples[i].processors.handover_ns = i % 3 == 0 ? 92 : 320;
    }
  g_assert_cmpint (tp_samples_compute (samples, 30, &near, &stats), ==, 20);
  g_assert_cmpint (ABS (stats.median_ns - QUIET_NS), <, QUIET_NS / 100);
  for (int i = 0; i < 30; i += 3)
    samples[i] = samples[i + 1];
  g_assert_cmpint (tp_samples_compute (samples, 30, &near, &stats), ==, 30);
  g_assert_false (tp_stats_is_settled (&stats, 9)); /* slow, and known to be */
  g_assert_cmpint (tp_samples_compute (samples, 30, &far, &stats), ==, 0);
  g_assert_true (tp_stats_is_settled (&stats, 9));
}

/* On two threads of one core: nothing of a sample tells, work done at once does. */
static void
test_crowded (void)
{
  const TpProcessors least = { 90, 1010, 0, 0 };
  TpSample samples[30];
  TpStats stats;

  for (int i = 0; i < 30; i++)
    {
      samples[i] = make_sample ((i % 3 == 0 ? 1 : 2) * QUIET_NS + i, 2, 0);
      samples[i].processors = (TpProcessors){ 90, i % 3 == 0 ? 1030 : 1850,
                                              640, 0 };
    }
  g_assert_cmpint (tp_samples_compute (samples, 30, &least, &stats), ==, 20);
  g_assert_cmpint (ABS (stats.median_ns - QUIET_NS), <, QUIET_NS / 100);
}

/* A kernel takes as many cycles at any clock: its figure is that of the clock told
 * at, and as sure as if there had been no other. */
static void
test_told (void)
{
  const TpProcessors told = { .fma_ns = 5000 };
  TpSample samples[30], one = make_sample (1, 1, 0);
  TpStats stats;

  for (int i = 0; i < 30; i++)
    {
      gint64 fma_ns = 4000 + 100 * (i * 7 % 30); /* 0.8 to 1.38 times as long */

      samples[i] = make_sample (QUIET_NS / 5000 * fma_ns + i % 5, 2, 0);
      samples[i].processors.fma_ns = fma_ns;
    }
  g_assert_cmpint (tp_samples_compute (samples, 30, &told, &stats), ==, 0);
  g_assert_cmpint (ABS (stats.median_ns - QUIET_NS), <, 10);
  g_assert_cmpint (stats.mad_ns, <, 10);
  g_assert_cmpint (tp_samples_compute (samples, 30, &unknown, &stats), ==, 0);
  g_assert_cmpint (stats.mad_ns, >, QUIET_NS / 100);
  for (int i = 0; i < 30; i++)
    g_assert_cmpint (tp_sample_get_told_ns (&samples[i], &unknown), ==,
                     samples[i].time_ns);
  one.processors.fma_ns = 10 * told.fma_ns;
  g_assert_cmpint (tp_sample_get_told_ns (&one, &told), ==, 1); /* no time is 0 */
}

/* What is known is kept; else it is what was usual so far. */
static void
test_near_clock (void)
{
  g_autofree TpNear *near = g_new (TpNear, 1);

  tp_near_init (near, 2, &(TpProcessors){ .fma_ns = 5000 }, FALSE);
  tp_near_note (near, &(TpProcessors){ .fma_ns = 4000 });
  g_assert_cmpint (near->least.fma_ns, ==, 5000);
  tp_near_init (near, 2, &(TpProcessors){ 0 }, FALSE);
  tp_near_note (near, &(TpProcessors){ 0 });
  g_assert_cmpint (near->least.fma_ns, ==, 0);
  tp_near_note (near, &(TpProcessors){ .fma_ns = 4000 });
  tp_near_note (near, &(TpProcessors){ .fma_ns = 5000 });
  g_assert_cmpint (near->least.fma_ns, ==, 4500);
}

/* Of several clocks the first known stays. */
static void
test_told_at (void)
{
  TpProcessors least = { .handover_ns = 90 };

  tp_samples_note_least (&least, &(TpProcessors){ .fma_ns = 0 });
  g_assert_cmpint (least.fma_ns, ==, 0);
  tp_samples_note_least (&least, &(TpProcessors){ .fma_ns = 5000 });
  tp_samples_note_least (&least, &(TpProcessors){ .fma_ns = 4000 });
  g_assert_cmpint (least.fma_ns, ==, 5000);
  g_assert_cmpint (least.handover_ns, ==, 90);
}

/* The other hardware thread of a core belongs to somebody else, and is in use two
 * thirds of the time. */
static void
test_contended (void)
{
  const TpProcessors least = { 90, 1010, 640, 0 };
  TpProcessors its;
  TpSample samples[30];
  TpStats stats;

  for (int i = 0; i < 30; i++)
    {
      samples[i] = make_sample ((i % 3 == 0 ? 20 : 27) * QUIET_NS / 20 + i, 2, 0);
      samples[i].processors
          = (TpProcessors){ 90, 1010, i % 3 == 0 ? 645 + i % 2 : 760 + i,
                             0 };
    }
  g_assert_cmpint (tp_samples_compute (samples, 30, &least, &stats), ==, 20);
  g_assert_cmpint (ABS (stats.median_ns - QUIET_NS), <, QUIET_NS / 100);
  tp_samples_find_processors (samples, 30, &least, &its);
  g_assert_cmpint (its.contention, >=, 645);
  g_assert_cmpint (its.contention, <=, 646);
  /* where too few were alone the entry says so, and is measured again */
  tp_samples_find_processors (samples, 15, &least, &its);
  g_assert_true (tp_samples_are_contended (&its, &least));
}

static void
note (TpNear *near, gint64 handover_ns, gint64 crowding)
{
  tp_near_note (near, &(TpProcessors){ handover_ns, crowding, 0, 0 });
}

static void
note_contention (TpNear *near, int n, gint64 first, gint64 step)
{
  for (int i = 0; i < n; i++)
    {
      tp_near_note (near, &(TpProcessors){ 0, 0, first + i * step, 0 });
      g_assert_true (near->is_near); /* it is not waited for */
    }
}

/* The least is what is seen often enough to measure by, or was once. */
static void
test_near_contention (void)
{
  TpNear near;

  tp_near_init (&near, 2, &unknown, FALSE);
  note_contention (&near, 1, 12, 0); /* luck */
  g_assert_cmpint (near.least.contention, ==, 0);
  note_contention (&near, 99, 800, 1);
  g_assert_cmpint (near.least.contention, ==, 823);
  note_contention (&near, 1, 0, 0); /* somebody was away */
  note_contention (&near, 1, 1 << 20, 0);
  note_contention (&near, 50, 650, 0);
  g_assert_cmpint (near.least.contention, ==, 650);

  tp_near_init (&near, 2, &(TpProcessors){ 0, 0, 640, 0 }, FALSE);
  note_contention (&near, 100, 800, 1);
  g_assert_cmpint (near.least.contention, ==, 640);
}

/* What is known counts at once; what is only expected is dropped where it never
 * comes true. */
static void
test_near (void)
{
  TpNear near;

  tp_near_init (&near, 2, &(TpProcessors){ 90, 1000, 0, 0 }, FALSE);
  note (&near, 380, 1010);
  g_assert_false (near.is_near);
  note (&near, 90, 1800);
  g_assert_false (near.is_near);
  tp_near_conclude (&near);
  g_assert_cmpint (near.least.handover_ns, ==, 90);
  g_assert_cmpint (near.least.crowding, ==, 1000);
  g_assert_cmpint (near.in_vain.handover_ns, ==, 0);
  note (&near, 100, 1100);
  g_assert_true (near.is_near);
  note (&near, 84, 1000);
  note (&near, 0, 0); /* nobody to play with */
  g_assert_cmpint (near.least.handover_ns, ==, 84);

  near = (TpNear){ .least = { 150, 1000, 0 }, .expects_handover = TRUE,
                   .expects_crowding = TRUE };
  note (&near, 380, 1900);
  g_assert_false (near.is_near);
  g_assert_cmpint (near.least.handover_ns, ==, 150);
  tp_near_conclude (&near);
  g_assert_cmpint (near.least.handover_ns, ==, 380);
  g_assert_cmpint (near.least.crowding, ==, 1900);
  g_assert_cmpint (near.in_vain.handover_ns, ==, 150);
  g_assert_cmpint (near.in_vain.crowding, ==, 1000);
  note (&near, 420, 1900);
  g_assert_true (near.is_near);

  near = (TpNear){ .least = { 150, 1000, 0 }, .expects_handover = TRUE,
                   .expects_crowding = TRUE };
  note (&near, 380, 1010); /* one of the two comes true */
  note (&near, 390, 1200);
  tp_near_conclude (&near);
  g_assert_cmpint (near.least.handover_ns, ==, 380);
  g_assert_cmpint (near.least.crowding, ==, 1010);

  /* two threads of one core are near, but not what is wanted */
  note (&near, 38, 1550);
  g_assert_false (near.is_near);
  g_assert_cmpint (near.least.handover_ns, ==, 380);
}

/* ---- tracks ------------------------------------------------------------- */

/* Four places of two kernels, on a device with a clock of its own. */
typedef struct
{
  TpKey key[2];
  TpKeys keys;
  TpLink links[4];
  TpChain chain;
  gboolean is_wanted[2];
  TpTracks tracks;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->key[0].digest = (char *) "a";
  fixture->key[1].digest = (char *) "b";
  fixture->keys.keys = fixture->key;
  for (int i = 0; i < 4; i++)
    fixture->links[i].key = i % 2;
  fixture->chain.keys = &fixture->keys;
  fixture->chain.links = fixture->links;
  fixture->chain.n_links = 4;
  fixture->chain.scale = 1;
  fixture->is_wanted[0] = fixture->is_wanted[1] = TRUE;
  tp_tracks_init (&fixture->tracks, &fixture->chain, fixture->is_wanted);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  tp_tracks_clear (&fixture->tracks);
}

/* @first, @second: the kernels; their later places take twice as long. */
static void
take_rounds (Fixture *fixture, int n, gint64 first, gint64 second)
{
  for (int round = 0; round < n; round++)
    {
      TpSample samples[4] = { { 0 } };

      samples[0].time_ns = first;
      samples[1].time_ns = second;
      samples[2].time_ns = 2 * first;
      samples[3].time_ns = 2 * second;
      tp_tracks_take (&fixture->tracks, samples, 0);
    }
  tp_tracks_compute (&fixture->tracks);
}

static const TpStats *
get_stats (Fixture *fixture, int track)
{
  return &g_array_index (fixture->tracks.tracks, TpTrack, track).stats;
}

/* Apart are samples by what is known, and by what was expected in vain; the figures
 * are the same. */
static void
test_tracks_apart (Fixture *fixture, gconstpointer data)
{
  const TpProcessors none = { 0 }, in_vain = { .handover_ns = 150 };
  TpSample samples[4] = { { 0 } };

  fixture->tracks.least.handover_ns = 250;
  for (int round = 0; round < 9; round++)
    {
      for (int i = 0; i < 4; i++)
        samples[i] = (TpSample){ .time_ns = 1000000,
                                 .processors.handover_ns = round < 7 ? 260 : 500 };
      tp_tracks_take (&fixture->tracks, samples, 0);
    }
  tp_tracks_compute (&fixture->tracks);
  g_assert_cmpint (fixture->tracks.n_disturbed, ==, 4 * 2);
  g_assert_cmpint (tp_tracks_count_apart (&fixture->tracks, &none), ==, 4 * 2);
  g_assert_cmpint (tp_tracks_count_apart (&fixture->tracks, &in_vain), ==, 4 * 9);
  g_assert_cmpint (get_stats (fixture, 0)->median_ns, ==, 1000000);
}

/* Means over the places add up to the whole. */
static void
test_places (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpint (fixture->tracks.tracks->len, ==, 2);
  take_rounds (fixture, 9, 1000000, 600000);
  g_assert_cmpint (get_stats (fixture, 0)->median_ns, ==, 1500000);
  g_assert_cmpint (get_stats (fixture, 1)->median_ns, ==, 900000);
  g_assert_cmpint (get_stats (fixture, 0)->n, ==, 9);
  g_assert_true (tp_tracks_are_settled (&fixture->tracks, 9, NULL));
  g_assert_false (tp_tracks_are_settled (&fixture->tracks, 10, NULL));
  tp_tracks_forget (&fixture->tracks);
  tp_tracks_compute (&fixture->tracks);
  g_assert_cmpint (get_stats (fixture, 0)->n, ==, 0);
}

/* What is a thousandth of the whole need not settle. */
static void
test_small (Fixture *fixture, gconstpointer data)
{
  gboolean is_settled[2];

  for (int round = 0; round < 12; round++)
    take_rounds (fixture, 1, 10000000, 1000 + (round * 7919) % 6000);
  g_assert_false (tp_stats_is_settled (get_stats (fixture, 1), 9));
  g_assert_true (tp_tracks_are_settled (&fixture->tracks, 9, is_settled));
  g_assert_true (is_settled[0] && is_settled[1]);
  tp_tracks_forget (&fixture->tracks);
  for (int round = 0; round < 12; round++)
    take_rounds (fixture, 1, 1000000, 100000 + (round * 7919) % 600000);
  g_assert_false (tp_tracks_are_settled (&fixture->tracks, 9, is_settled));
  g_assert_true (is_settled[0] && !is_settled[1]);
}

/* A clock that is a little slow is corrected; of one that is far off the host's
 * is believed, unless the times are too short to tell. */
static void
test_clock (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    double scale;
    gint64 time_ns, expected_ns;
    gboolean is_odd;
  } cases[] = {
    { 0.5, 1000000, 750000, FALSE },  { 1.2, 1000000, 1800000, FALSE },
    { 1000, 1000000, 1500000000, TRUE }, { 0.001, 1000000, 1500, TRUE },
    { 100, 100, 187, FALSE },         { 0.001, 100, 37, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      tp_tracks_forget (&fixture->tracks);
      fixture->chain.scale = cases[i].scale;
      take_rounds (fixture, 9, cases[i].time_ns, cases[i].time_ns);
      g_assert_cmpint (tp_tracks_has_odd_clock (&fixture->tracks), ==,
                       cases[i].is_odd);
      g_assert_cmpint (get_stats (fixture, 0)->median_ns, ==,
                       cases[i].expected_ns);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/tracks/apart", test_tracks_apart },
    { "/tracks/places", test_places },
    { "/tracks/small", test_small },
    { "/tracks/clock", test_clock },
  };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/samples/disturbed", test_disturbed);
  g_test_add_func ("/samples/counted", test_counted);
  g_test_add_func ("/samples/booked-late", test_booked_late);
  g_test_add_func ("/samples/booked-by-ticks", test_booked_by_ticks);
  g_test_add_func ("/samples/estimate", test_estimate);
  g_test_add_func ("/samples/no-witness", test_no_witness);
  g_test_add_func ("/samples/apart", test_apart);
  g_test_add_func ("/samples/crowded", test_crowded);
  g_test_add_func ("/samples/contended", test_contended);
  g_test_add_func ("/samples/told", test_told);
  g_test_add_func ("/samples/told-at", test_told_at);
  g_test_add_func ("/samples/near-contention", test_near_contention);
  g_test_add_func ("/samples/near-clock", test_near_clock);
  g_test_add_func ("/samples/near", test_near);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run ();
}
