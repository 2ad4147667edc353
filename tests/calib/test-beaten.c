/* test-beaten.c: what is called beaten is in no cheapest plan, whatever the times
 * are within what is known of them. */
#include "config.h"

#include "calib/beaten.h"

#include <string.h>

#define N 6                   /* ops, one after the other; tensors: one more */
#define ROUNDS 3000

enum { HOST, OTHER, N_DEVICES };

typedef struct
{
  TpTensor tensors[N + 1];
  TpNode nodes[N];
  int ends[N + 1];
  TpGraph graph;
  TpKey key[N];
  TpKeys keys;
  TpLink links[N];
  TpChain chain;
  gboolean is_wanted[N];
  TpTracks tracks[N_DEVICES];
  TpMeasureDevice devices[N_DEVICES];
  TpRival rivals[N_DEVICES];
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  static const char *const digests[N] = { "a", "b", "c", "d", "e", "f" };

  (void) unused;
  f->graph = (TpGraph){ .n_tensors = N + 1, .tensors = f->tensors,
                        .n_nodes = N, .nodes = f->nodes };
  for (int i = 0; i <= N; i++)
    {
      f->ends[i] = i;
      f->tensors[i].size_bytes
          = (gint64) 4 << g_test_rand_int_range (0, 20);
    }
  for (int i = 0; i < N; i++)
    {
      f->nodes[i] = (TpNode){ .n_inputs = 1, .inputs = &f->ends[i],
                              .n_outputs = 1, .outputs = &f->ends[i + 1] };
      f->key[i] = (TpKey){ .n_nodes = 1, .nodes = &f->ends[i],
                           .digest = (char *) digests[i] };
      f->links[i].key = i;
      f->is_wanted[i] = TRUE;
    }
  f->keys = (TpKeys){ .n = N, .n_nodes = N, .keys = f->key };
  f->chain = (TpChain){ .keys = &f->keys, .links = f->links, .n_links = N };
  for (int d = 0; d < N_DEVICES; d++)
    {
      tp_tracks_init (&f->tracks[d], &f->chain, f->is_wanted);
      f->rivals[d] = (TpRival){ &f->devices[d], &f->tracks[d] };
    }
  f->devices[HOST].is_host = TRUE;
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  (void) unused;
  for (int d = 0; d < N_DEVICES; d++)
    tp_tracks_clear (&f->tracks[d]);
}

static TpTrack *
get_track (Fixture *f, int device, int i)
{
  return &g_array_index (f->tracks[device].tracks, TpTrack, i);
}

/* Kernels of 1 us to 100 us, known better or worse; a link for which that is much
 * or little. */
static void
make_up (Fixture *f)
{
  TpFit fit = { .base_ns = g_test_rand_double_range (10, 20000),
                .per_byte_ns = g_test_rand_double_range (0, 0.2) };

  f->devices[OTHER].to_device = f->devices[OTHER].to_host = fit;
  for (int d = 0; d < N_DEVICES; d++)
    for (int i = 0; i < N; i++)
      {
        gint64 median = g_test_rand_int_range (1000, 100000);
        gint64 half = median * g_test_rand_int_range (0, 20) / 100;

        get_track (f, d, i)->stats
            = (TpStats){ .n = 20, .min_ns = median - half,
                         .median_ns = median, .half_ns = half };
      }
}

/* Times such as they may be. */
static void
draw (Fixture *f, double (*times)[N], double *copies)
{
  for (int d = 0; d < N_DEVICES; d++)
    for (int i = 0; i < N; i++)
      {
        const TpStats *stats = &get_track (f, d, i)->stats;
        double spread = tp_stats_find_spread (stats);

        times[d][i] = stats->median_ns
                      + g_test_rand_double_range (-3, 3) * spread;
      }
  for (int i = 0; i <= N; i++)
    copies[i] = tp_fit_evaluate_ns (&f->devices[OTHER].to_host,
                                    f->tensors[i].size_bytes)
                * g_test_rand_double_range (0.5, 1.5);
}

/* What goes in and comes out is on the host. */
static double
get_cost (double (*times)[N], const double *copies, int placement)
{
  double cost = 0;
  int last = HOST;

  for (int i = 0; i < N; i++)
    {
      int device = placement >> i & 1;

      cost += times[device][i] + (device != last ? copies[i] : 0);
      last = device;
    }
  return cost + (last != HOST ? copies[N] : 0);
}

static int
find_best (double (*times)[N], const double *copies)
{
  int best = 0;

  for (int placement = 1; placement < 1 << N; placement++)
    if (get_cost (times, copies, placement) < get_cost (times, copies, best))
      best = placement;
  return best;
}

static void
test_no_plan (Fixture *f, gconstpointer unused)
{
  int n_beaten = 0;

  (void) unused;
  for (int round = 0; round < ROUNDS; round++)
    {
      double times[N_DEVICES][N], copies[N + 1];
      int best;

      make_up (f);
      tp_beaten_mark (&f->graph, f->rivals, N_DEVICES);
      draw (f, times, copies);
      best = find_best (times, copies);
      for (int i = 0; i < N; i++)
        {
          g_assert_false (get_track (f, best >> i & 1, i)->is_beaten);
          for (int d = 0; d < N_DEVICES; d++)
            n_beaten += get_track (f, d, i)->is_beaten;
        }
    }
  g_test_message ("%d of %d", n_beaten, ROUNDS * N * N_DEVICES);
  g_assert_cmpint (n_beaten, >, ROUNDS / 10);
}

/* Too few samples, or nobody to be beaten by. */
static void
test_not_yet (Fixture *f, gconstpointer unused)
{
  (void) unused;
  make_up (f);
  for (int i = 0; i < N; i++)
    {
      get_track (f, HOST, i)->stats
          = (TpStats){ .n = 20, .median_ns = 1000, .half_ns = 1 };
      get_track (f, OTHER, i)->stats
          = (TpStats){ .n = 20, .median_ns = 90000000, .half_ns = 1 };
    }
  tp_beaten_mark (&f->graph, f->rivals, N_DEVICES);
  for (int i = 0; i < N; i++)
    g_assert_true (get_track (f, OTHER, i)->is_beaten
                   && !get_track (f, HOST, i)->is_beaten);
  get_track (f, OTHER, 0)->stats.n = TP_MEASURE_ROUNDS_MIN - 1;
  get_track (f, HOST, 1)->stats.n = TP_MEASURE_ROUNDS_MIN - 1;
  tp_beaten_mark (&f->graph, f->rivals, N_DEVICES);
  g_assert_false (get_track (f, OTHER, 0)->is_beaten);
  g_assert_false (get_track (f, OTHER, 1)->is_beaten);
  g_assert_true (get_track (f, OTHER, 2)->is_beaten);
  f->rivals[HOST].tracks = NULL;
  tp_beaten_mark (&f->graph, f->rivals, N_DEVICES);
  for (int i = 0; i < N; i++)
    g_assert_false (get_track (f, OTHER, i)->is_beaten);
}

/* However noisy, it need not be timed again. */
static void
test_settled (Fixture *f, gconstpointer unused)
{
  gboolean is_settled[N];

  (void) unused;
  for (int i = 0; i < N; i++)
    {
      get_track (f, HOST, i)->stats
          = (TpStats){ .n = 20, .median_ns = 1000, .half_ns = 1 };
      get_track (f, OTHER, i)->stats
          = (TpStats){ .n = 20, .median_ns = 90000000, .half_ns = 20000000 };
    }
  g_assert_false (tp_tracks_are_settled (&f->tracks[OTHER],
                                         TP_MEASURE_ROUNDS_MIN, NULL));
  tp_beaten_mark (&f->graph, f->rivals, N_DEVICES);
  g_assert_true (tp_tracks_are_settled (&f->tracks[OTHER],
                                        TP_MEASURE_ROUNDS_MIN, is_settled));
  for (int i = 0; i < N; i++)
    g_assert_true (is_settled[i]);
}

#define ADD(name, function)                                                   \
  g_test_add ("/beaten/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("no-plan", test_no_plan);
  ADD ("not-yet", test_not_yet);
  ADD ("settled", test_settled);
  return g_test_run ();
}
