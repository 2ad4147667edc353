/* measure.c: the kernels of a graph timed on all devices in turn.
 *
 * Kernels are compiled some at a time; each batch is run once with a wait after each
 * kernel, so that a crash has a name, and then timed a little, so that an interrupt
 * leaves something. When all are compiled the whole chain is run round by round, one
 * device after the other, until the figures stand: what others here have disturbed is
 * taken again. Fused and not, a graph is run in the same rounds, so that the gain of a
 * group is the difference of like and like. */
#include "config.h"

#include "calib/measure.h"

#include "calib/beaten.h"
#include "calib/chain-time.h"
#include "calib/compare.h"
#include "calib/contenders.h"
#include "calib/measure-steps.h"
#include "calib/near.h"
#include "calib/patience.h"
#include "calib/precedence.h"
#include "calib/probe.h"
#include "calib/tracks.h"
#include "ir/compare.h"
#include "ir/map.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <string.h>

#define ROUNDS_FIRST 3                 /* of a batch, after it was compiled */
#define ROUNDS_ALL 6                   /* with all candidates */
#define DURATION_US G_USEC_PER_SEC     /* what others do changes by the second */
#define WARM_US (G_USEC_PER_SEC / 10)  /* longer: more than caches hold */
#define SLOW_US (G_USEC_PER_SEC / 2)   /* a batch that is not worth repeating */

typedef struct
{
  const TpMeasureDevice *wanted;
  int index;
  TpDevice *device;
  TpChain *chain;
  TpTracks tracks;            /* once there is a chain */
  int *link_kernels;          /* per link: number of its distinct kernel */
  int n_kernels;
  GArray *bound[TP_N_PASSES]; /* links that can run */
  TpSample *samples;          /* per link, of this round */
  gint64 last_us;             /* of the last run to warm up */
  gboolean has_given_up;
} Lane;

typedef struct
{
  TpChannel *channel;
  const TpMeasureJob *job;
  Lane *lanes;
  GArray *stream;             /* probes of the rounds so far */
  TpPrecedence precedence;
  TpNear near;
  gint64 rounds_us;           /* that all rounds took */
  gboolean is_late;           /* told to stop */
  gboolean is_slow;           /* one round took the budget */
} Bench;

/* ---- messages ----------------------------------------------------------- */

static void
send_progress (Bench *bench, int steps, const char *what)
{
  tp_channel_send (bench->channel, TP_MESSAGE_PROGRESS,
                   g_variant_new ("(is)", steps, what));
}

static void
give_up (Bench *bench, Lane *lane, const GError *error)
{
  lane->has_given_up = TRUE;
  tp_channel_send (bench->channel, TP_MESSAGE_GIVE_UP,
                   g_variant_new ("(is)", lane->index, error->message));
}

static void
compute (const Bench *bench, Lane *lane)
{
  lane->tracks.least = bench->near.least;
  tp_tracks_compute (&lane->tracks);
}

static void
add_entry (Bench *bench, Lane *lane, int index, gboolean is_settled,
           GVariantBuilder *builder)
{
  const TpTrack *track = &g_array_index (lane->tracks.tracks, TpTrack, index);
  const TpStats *stats = &track->stats;
  TpEntryState state = track->is_tried ? TP_ENTRY_TRIED
                       : is_settled    ? TP_ENTRY_SETTLED
                                       : TP_ENTRY_PROVISIONAL;
  g_autofree char *outcome
      = bench->job->n_candidates > 0
            ? tp_contenders_describe (&lane->tracks, index) : g_strdup ("");
  const TpProcessors *near = &track->processors;

  g_variant_builder_add (builder, TP_ENTRY_TYPE, lane->index, track->key,
                         (int) state, stats->n, stats->min_ns,
                         stats->median_ns, stats->mad_ns,
                         stats->half_ns,
                         bench->near.least.fma_ns,
                         tp_stats_find_median (bench->stream),
                         near->handover_ns, near->crowding, near->contention,
                         track->schedule != NULL ? track->schedule : "",
                         outcome);
}

/* @is_last: as good as it will get. */
static void
send_entries (Bench *bench, Lane *lane, gboolean is_last)
{
  TpTracks *tracks = &lane->tracks;
  g_autofree gboolean *is_settled = NULL;
  GVariantBuilder builder;

  if (lane->chain == NULL || (bench->job->n_candidates > 0 && !is_last))
    return; /* contenders are judged when all is timed */
  is_settled = g_new0 (gboolean, tracks->tracks->len + 1);
  compute (bench, lane);
  tp_tracks_are_settled (tracks, TP_MEASURE_ROUNDS_MIN, is_last ? is_settled : NULL);
  if (bench->job->n_candidates > 0)
    tp_contenders_judge (tracks);
  g_variant_builder_init (&builder, G_VARIANT_TYPE (TP_ENTRIES_TYPE));
  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      const TpTrack *track = &g_array_index (tracks->tracks, TpTrack, i);

      if (track->stats.n > 0)
        add_entry (bench, lane, i,
                   is_settled[i] || bench->job->n_candidates > 0
                       || (is_last && bench->is_slow)
                       || tp_stats_is_settled (&track->stats, TP_MEASURE_ROUNDS_MIN),
                   &builder);
    }
  tp_channel_send (bench->channel, TP_MESSAGE_ENTRIES,
                   g_variant_builder_end (&builder));
}

/* How it went, once all is timed. */
static void
send_account (Bench *bench, Lane *lane)
{
  const TpTracks *tracks = &lane->tracks;

  if (lane->chain == NULL)
    return;
  tp_channel_send (bench->channel, TP_MESSAGE_ACCOUNT,
                   g_variant_new ("(iiiix)", tracks->n_samples, tracks->n_disturbed,
                                  tp_tracks_count_apart (tracks, &bench->near.in_vain),
                                  tracks->n_contended, bench->rounds_us));
  if (tp_tracks_has_odd_clock (tracks))
    tp_channel_send (bench->channel, TP_MESSAGE_WARN,
                     g_variant_new ("(is)", lane->index,
                                    "its clock and that of the host tell of "
                                    "different times: the host's is believed"));
}

static void
send_failure (Bench *bench, Lane *lane, int key, const GError *error)
{
  GVariantBuilder builder;
  const gint64 none = 0;

  g_variant_builder_init (&builder, G_VARIANT_TYPE (TP_ENTRIES_TYPE));
  g_variant_builder_add (&builder, TP_ENTRY_TYPE, lane->index, key,
                         (int) TP_ENTRY_FAILED, 0, none, none, none, none, none,
                         none, none, none, none, "", error->message);
  tp_channel_send (bench->channel, TP_MESSAGE_ENTRIES,
                   g_variant_builder_end (&builder));
}

/* ---- lanes -------------------------------------------------------------- */

static void
number_kernels (Lane *lane)
{
  g_autoptr (TpMap) kernels = tp_map_new (g_str_hash, g_str_equal, NULL, NULL);
  TpChain *chain = lane->chain;

  lane->link_kernels = g_new (int, chain->n_links + 1);
  lane->samples = g_new0 (TpSample, chain->n_links + 1);
  for (int i = 0; i < chain->n_links; i++)
    {
      const char *digest = chain->keys->keys[chain->links[i].key].digest;
      gpointer number;

      if (!tp_map_find (kernels, digest, &number))
        {
          number = GINT_TO_POINTER (lane->n_kernels++);
          tp_map_insert (kernels, (gpointer) digest, number);
        }
      lane->link_kernels[i] = GPOINTER_TO_INT (number);
    }
}

/* The facts may have missed that this is another driver by now. */
static gboolean
is_same_device (Bench *bench, Lane *lane)
{
  g_autofree char *identity = NULL;
  TpDeviceInfo info;

  lane->device->ops->describe (lane->device, &info);
  identity = g_utf8_make_valid (info.identity, -1);
  tp_device_info_clear (&info);
  if (strcmp (identity, lane->wanted->identity) == 0)
    return TRUE;
  tp_channel_send (bench->channel, TP_MESSAGE_CHANGED,
                   g_variant_new ("i", lane->index));
  return FALSE;
}

static gboolean
lane_open (Bench *bench, Lane *lane, GError **error)
{
  const TpDeviceOptions options = { .n_threads = bench->job->n_threads };
  const TpChainWanted wanted = { bench->job->keys, lane->wanted->passes,
                                 lane->wanted->is_wanted,
                                 bench->job->n_candidates,
                                 lane->wanted->schedules, bench->job->is_relaxed };
  g_autoptr (GError) failure = NULL;

  tp_channel_beat (bench->channel, TP_PHASE_OPEN, lane->index, -1);
  lane->device = tp_device_open (lane->wanted->name, &options, error);
  if (lane->device == NULL)
    return FALSE;
  if (!is_same_device (bench, lane))
    {
      lane->has_given_up = TRUE;
      return TRUE;
    }
  lane->chain = tp_chain_new (lane->device, bench->job->graph, &wanted,
                              &failure);
  if (lane->chain == NULL)
    {
      give_up (bench, lane, failure);
      return TRUE;
    }
  lane->chain->n_threads = tp_threads_count (bench->job->n_threads);
  lane->chain->beat = &bench->channel->beat->beat;
  number_kernels (lane);
  tp_tracks_init (&lane->tracks, lane->chain, lane->wanted->is_wanted);
  return TRUE;
}

/* ---- one batch ---------------------------------------------------------- */

/* Each kernel alone, so that whatever happens has a name; and right, or its time
 * says nothing. */
static gboolean
try_link (Bench *bench, Lane *lane, int link, GError **error)
{
  TpChain *chain = lane->chain;
  const TpDeviceOps *ops = chain->device->ops;

  tp_channel_beat (bench->channel, TP_PHASE_RUN, lane->index,
                   chain->links[link].key);
  return ops->launch (chain->device, chain->links[link].launch, error)
         && ops->launch (chain->device, NULL, error)
         && (bench->job->is_again || tp_compare_link (chain, link, error));
}

static void
drop_link (Lane *lane, int link)
{
  TpChain *chain = lane->chain;

  if (chain->links[link].launch != NULL)
    chain->device->ops->free_launch (chain->device, chain->links[link].launch);
  chain->links[link].launch = NULL;
}

/* @links: all of one pass. */
static gboolean
time_links (Bench *bench, Lane *lane, GArray *links, GError **error)
{
  const int *first = (const int *) links->data;

  if (links->len == 0)
    return TRUE;
  tp_channel_beat (bench->channel, TP_PHASE_RUN, lane->index, -1);
  memset (lane->samples, 0, lane->chain->n_links * sizeof (TpSample));
  lane->chain->least = bench->near.least;
  if (!tp_chain_time (lane->chain, first, links->len, lane->samples, error))
    return FALSE;
  tp_near_note (&bench->near, &lane->chain->found);
  tp_tracks_take (&lane->tracks, lane->samples,
                  lane->chain->links[*first].pass);
  return TRUE;
}

/* A batch's first figures, should there be no others. */
static void
time_batch (Bench *bench, Lane *lane, GArray *const *passes)
{
  g_autoptr (GError) failure = NULL;

  for (int i = 0; i < ROUNDS_FIRST * TP_N_PASSES && failure == NULL; i++)
    time_links (bench, lane, passes[i % TP_N_PASSES], &failure);
  if (failure != NULL)
    give_up (bench, lane, failure);
}

/* Runs what was just compiled; drops what fails. */
static void
try_batch (Bench *bench, Lane *lane, GArray *batch)
{
  GArray *good[TP_N_PASSES];
  gint64 before = g_get_monotonic_time ();

  for (int i = 0; i < TP_N_PASSES; i++)
    good[i] = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; i < batch->len; i++)
    {
      int link = g_array_index (batch, int, i);
      g_autoptr (GError) error = NULL;

      if (try_link (bench, lane, link, &error))
        {
          g_array_append_val (good[lane->chain->links[link].pass], link);
          continue;
        }
      if (lane->chain->links[link].rival == NULL) /* else there is another */
        send_failure (bench, lane, lane->chain->links[link].key, error);
      drop_link (lane, link);
    }
  if (!bench->job->is_again
      && g_get_monotonic_time () - before < SLOW_US) /* else the rounds will do */
    time_batch (bench, lane, good);
  for (int i = 0; i < TP_N_PASSES; i++)
    {
      g_array_append_vals (lane->bound[i], good[i]->data, good[i]->len);
      g_array_unref (good[i]);
    }
}

/* A device out of memory says nothing of the kernel. */
static gboolean
is_about_kernel (const GError *error)
{
  return !g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY)
         && !g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
}

static void
pick_links (const Lane *lane, int first, int end, GArray *out_batch)
{
  g_array_set_size (out_batch, 0);
  for (int i = 0; i < lane->chain->n_links; i++)
    if (lane->link_kernels[i] >= first && lane->link_kernels[i] < end)
      g_array_append_val (out_batch, i);
}

/* Kernels @first to @end - 1; one by one if they do not compile together. */
static void
compile_batch (Bench *bench, Lane *lane, int first, int end)
{
  g_autoptr (GArray) batch = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GError) error = NULL;
  TpChain *chain = lane->chain;
  int key;

  pick_links (lane, first, end, batch);
  key = chain->links[g_array_index (batch, int, 0)].key;
  tp_channel_beat (bench->channel, TP_PHASE_COMPILE, lane->index, key);
  if (tp_chain_compile (chain, (const int *) batch->data, batch->len, &error))
    {
      try_batch (bench, lane, batch);
      return;
    }
  for (guint i = 0; i < batch->len; i++)
    drop_link (lane, g_array_index (batch, int, i));
  if (!is_about_kernel (error))
    give_up (bench, lane, error);
  else if (end - first == 1)
    send_failure (bench, lane, key, error);
  else
    for (int i = first; i < end && !lane->has_given_up; i++)
      compile_batch (bench, lane, i, i + 1);
}

static void
compile_all (Bench *bench, Lane *lane)
{
  for (int first = 0; first < lane->n_kernels && !lane->has_given_up;
       first += lane->wanted->batch_max)
    {
      int end = MIN (first + lane->wanted->batch_max, lane->n_kernels);
      g_autofree char *what = g_strdup_printf ("compiling for %s",
                                               lane->wanted->name);

      if (tp_channel_must_stop (bench->channel))
        {
          bench->is_late = TRUE;
          break;
        }
      compile_batch (bench, lane, first, end);
      send_entries (bench, lane, FALSE);
      send_progress (bench, (end - first) * lane->wanted->compile_steps, what);
    }
  for (int i = 0; i < TP_N_PASSES; i++)
    g_array_sort (lane->bound[i], tp_compare_int);
}

/* ---- all of it ---------------------------------------------------------- */

static gboolean
are_settled (Bench *bench)
{
  int n = bench->job->n_devices;
  g_autofree TpRival *rivals = g_new0 (TpRival, n);
  gboolean are_all = TRUE;

  for (int i = 0; i < n; i++)
    {
      Lane *lane = &bench->lanes[i];

      rivals[i].device = lane->wanted;
      if (lane->has_given_up)
        continue;
      rivals[i].tracks = &lane->tracks;
      compute (bench, lane);
    }
  tp_beaten_mark (bench->job->graph, rivals, n);
  for (int i = 0; i < n; i++)
    are_all &= rivals[i].tracks == NULL
               || tp_tracks_are_settled (rivals[i].tracks, TP_MEASURE_ROUNDS_MIN, NULL);
  return are_all;
}

static void
probe_memory (Bench *bench)
{
  gint64 stream = tp_probe_stream_ns ();

  g_array_append_val (bench->stream, stream);
}

/* What ran in between, other passes, devices and processes, has driven all from
 * the caches that a run right after a run finds there. */
static gboolean
warm_up (Lane *lane, GArray *links, GError **error)
{
  gint64 before = g_get_monotonic_time ();
  gboolean is_good;

  if (lane->last_us > WARM_US)
    return TRUE; /* it warms itself up */
  is_good = tp_chain_run (lane->chain, (const int *) links->data, links->len,
                          error);
  lane->last_us = g_get_monotonic_time () - before;
  return is_good;
}

/* One pass on one device. */
static void
run_pass (Bench *bench, Lane *lane, int pass, gboolean is_counted)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *what = g_strdup_printf ("timing on %s", lane->wanted->name);

  if (lane->has_given_up || lane->bound[pass]->len == 0)
    return;
  if (!warm_up (lane, lane->bound[pass], &failure)
      || !time_links (bench, lane, lane->bound[pass], &failure))
    give_up (bench, lane, failure);
  if (is_counted)
    send_progress (bench, 1, what);
}

/* Every device and pass once; passes take turns in going first. */
static void
run_round (Bench *bench, int round)
{
  probe_memory (bench);
  for (int pass = 0; pass < TP_N_PASSES; pass++)
    for (int i = 0; i < bench->job->n_devices; i++)
      run_pass (bench, &bench->lanes[i], (pass + round + 1) % TP_N_PASSES,
                round >= 0 && round < TP_MEASURE_ROUNDS_MIN);
}

static void
forget_samples (Bench *bench)
{
  for (int i = 0; i < bench->job->n_devices; i++)
    if (bench->lanes[i].chain != NULL)
      tp_tracks_forget (&bench->lanes[i].tracks);
  g_array_set_size (bench->stream, 0);
}

static void
thin (Bench *bench)
{
  for (int i = 0; i < bench->job->n_devices; i++)
    if (bench->job->n_candidates > 0 && !bench->lanes[i].has_given_up)
      {
        compute (bench, &bench->lanes[i]);
        tp_contenders_thin (&bench->lanes[i].tracks, TP_CONTENDERS_FINALISTS,
                            bench->lanes[i].bound[0]);
      }
}

static void
run_rounds (Bench *bench)
{
  int n_near = 0;
  gint64 budget_us = tp_patience_get_most_us () * bench->job->n_devices;
  gint64 start = g_get_monotonic_time ();

  run_round (bench, -1); /* warms up */
  bench->rounds_us = g_get_monotonic_time () - start;
  bench->is_slow = bench->rounds_us > budget_us;
  if (bench->is_slow)
    return; /* one round of such a graph says enough */
  forget_samples (bench);
  for (int round = 0;
       n_near < tp_measure_count_rounds (bench->job) && !bench->is_late; round++)
    {
      tp_near_wait (&bench->near, &bench->precedence, bench->channel);
      run_round (bench, round);
      n_near += bench->near.is_near || bench->job->is_brief;
      if (round + 1 == ROUNDS_ALL)
        thin (bench);
      bench->rounds_us = g_get_monotonic_time () - start - bench->near.waited_us;
      bench->is_late = tp_channel_must_stop (bench->channel);
      if ((round + 1 >= TP_MEASURE_ROUNDS_MIN && bench->rounds_us > DURATION_US
           && are_settled (bench))
          || (round + 1 >= ROUNDS_FIRST && bench->rounds_us > budget_us)
          || bench->rounds_us > 3 * budget_us)
        break;
    }
}

static gboolean
open_lanes (Bench *bench, GError **error)
{
  for (int i = 0; i < bench->job->n_devices; i++)
    {
      Lane *lane = &bench->lanes[i];

      lane->wanted = &bench->job->devices[i];
      lane->index = i;
      for (int j = 0; j < TP_N_PASSES; j++)
        lane->bound[j] = g_array_new (FALSE, FALSE, sizeof (int));
      if (tp_measure_count_links (lane->wanted) == 0)
        lane->has_given_up = TRUE;
      else if (!lane_open (bench, lane, error))
        return FALSE;
    }
  return TRUE;
}

void
tp_measure_work (TpChannel *channel, gpointer data)
{
  Bench bench = { .channel = channel, .job = data };
  g_autoptr (GError) error = NULL;

  /* The process ends after this: what is held is not given back, since drivers
   * crash most readily when they are closed. */
  tp_precedence_init (&bench.precedence,
                      tp_threads_count (bench.job->n_threads));
  tp_near_init (&bench.near, tp_threads_count (bench.job->n_threads),
                &bench.job->least, bench.job->is_brief);
  bench.lanes = g_new0 (Lane, bench.job->n_devices);
  bench.stream = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (!open_lanes (&bench, &error))
    {
      tp_channel_send (channel, TP_MESSAGE_FATAL,
                       g_variant_new ("(is)", error->code, error->message));
      return;
    }
  probe_memory (&bench);
  for (int i = 0; i < bench.job->n_devices && !bench.is_late; i++)
    if (!bench.lanes[i].has_given_up)
      compile_all (&bench, &bench.lanes[i]);
  if (!bench.is_late)
    {
      tp_precedence_take (&bench.precedence);
      run_rounds (&bench);
      tp_precedence_leave (&bench.precedence);
    }
  tp_precedence_clear (&bench.precedence);
  tp_near_conclude (&bench.near);
  for (int i = 0; i < bench.job->n_devices; i++)
    {
      send_entries (&bench, &bench.lanes[i], !bench.is_late);
      send_account (&bench, &bench.lanes[i]);
    }
}
