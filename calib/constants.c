/* constants.c: the constants of a device, through the kernels it will run. */
#include "config.h"

#include "calib/constants.h"

#include "calib/burst.h"
#include "calib/chain-time.h"
#include "calib/columns.h"
#include "calib/compare.h"
#include "calib/constants-graph.h"
#include "calib/facts.h"
#include "calib/hand-over.h"
#include "calib/measure.h"
#include "calib/near.h"
#include "calib/patience.h"
#include "calib/precedence.h"
#include "calib/tracks.h"
#include "calib/transfers.h"
#include "ir/clock.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#define ROUNDS_FEW 3
#define ROUNDS_MIN 9
#define ROUNDS_MAX 60
#define BUDGET_US (1500 * 1000)
#define FIT_TYPE "(ddds)"
#define HEAD_TYPE "(isssxdddddxx)"
#define ROW_TYPE "(" HEAD_TYPE "a" FIT_TYPE ")"

/* What keeps disturbances away. */
typedef struct
{
  TpPrecedence precedence;
  TpNear near;
} Quiet;

typedef struct
{
  TpChannel *channel;
  int index;
  TpDevice *device;
  const TpGraph *graph;
  TpChain *chain;
  TpConstantsSizes sizes;
  int n_threads;
  TpDeviceRow *row;
  TpPrecedence *precedence;
  TpNear *near;
} Subject;

/* ---- kernels ------------------------------------------------------------ */

/* Times of the links whose output is called @prefix, or begins so. */
static double
median_named (const Subject *subject, const TpTracks *tracks,
              const char *prefix)
{
  double sum = 0;
  int n = 0;

  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      const TpTrack *track = &g_array_index (tracks->tracks, TpTrack, i);
      int key = subject->chain->links[g_array_index (track->links, int, 0)].key;

      if (!g_str_has_prefix (subject->graph->nodes[key].name, prefix))
        continue;
      sum += (double) track->stats.median_ns * track->links->len;
      n += track->links->len;
    }
  return n > 0 ? MAX (sum / n, 1) : 1;
}

static void
set_speeds (Subject *subject, const TpTracks *tracks)
{
  TpDeviceRow *row = subject->row;
  double side = subject->sizes.n_side, narrow = subject->sizes.n_narrow;
  double launch = median_named (subject, tracks, "t");
  double peak = median_named (subject, tracks, "peak");
  double few = median_named (subject, tracks, "narrow");
  double stream = median_named (subject, tracks, "stream");
  double few_gflops;

  row->launch_ns = launch;
  row->peak_gflops = 2 * side * side * side / MAX (peak - launch, peak / 2);
  row->bandwidth_gbps = 8.0 * subject->sizes.n_stream
                        / MAX (stream - launch, stream / 2);
  few_gflops = 2 * narrow * narrow * side / MAX (few - launch, few / 10);
  row->full_points = MAX (1, narrow * narrow * row->peak_gflops / few_gflops);
}

static gboolean
run_rounds (const Subject *subject, const int *links, TpTracks *tracks,
            GError **error)
{
  TpChain *chain = subject->chain;
  g_autofree TpSample *samples = g_new0 (TpSample, chain->n_links + 1);
  gint64 limit_ns;

  tp_precedence_take (subject->precedence);
  tp_near_wait (subject->near, subject->precedence, subject->channel);
  limit_ns = tp_clock_get_ns ()
             + 1000 * MIN (BUDGET_US, tp_patience_get_most_us ());
  for (int round = -1; round < ROUNDS_MAX; round++) /* the first warms up */
    {
      tp_channel_beat (subject->channel, TP_PHASE_OPEN, subject->index, -1);
      if (!tp_chain_time (chain, links, chain->n_links, samples, error))
        return FALSE;
      if (round >= 0)
        tp_tracks_take (tracks, samples, 0);
      tp_tracks_compute (tracks);
      if ((round + 1 >= ROUNDS_MIN
           && tp_tracks_are_settled (tracks, ROUNDS_MIN, NULL))
          || (round + 1 >= ROUNDS_FEW && tp_clock_get_ns () > limit_ns))
        break;
    }
  return TRUE;
}

static gboolean
compare_all (const Subject *subject, GError **error)
{
  g_autoptr (GError) fault = NULL;

  for (int i = 0; i < subject->chain->n_links; i++)
    {
      tp_channel_beat (subject->channel, TP_PHASE_OPEN, subject->index, -1);
      if (tp_compare_link (subject->chain, i, &fault))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                   "it cannot be used: a kernel of it is %s", fault->message);
      return FALSE;
    }
  return TRUE;
}

static gboolean
measure_speeds (Subject *subject, GError **error)
{
  TpChain *chain = subject->chain;
  int n = chain->n_links;
  g_autofree int *links = g_new (int, n);
  g_autofree gboolean *is_wanted = g_new0 (gboolean, chain->keys->n + 1);
  TpTracks tracks;
  gboolean is_good;

  chain->n_threads = subject->n_threads;
  for (int i = 0; i < n; i++)
    {
      links[i] = i;
      is_wanted[chain->links[i].key] = TRUE;
    }
  tp_tracks_init (&tracks, chain, is_wanted);
  is_good = tp_chain_compile (chain, links, n, error)
            && compare_all (subject, error)
            && run_rounds (subject, links, &tracks, error);
  if (is_good)
    set_speeds (subject, &tracks);
  tp_tracks_clear (&tracks);
  return is_good;
}

/* ---- transfers ---------------------------------------------------------- */

static gboolean
measure_copies (const TpTransferJob *job, TpTransferTimes *out_times,
                GError **error)
{
  gint64 start = g_get_monotonic_time ();

  if (!tp_transfers_measure (job, out_times, error))
    return FALSE;
  tp_transfers_send (job, out_times, g_get_monotonic_time () - start);
  return TRUE;
}

static gboolean
measure_transfers (Subject *subject, GError **error)
{
  const TpTransferJob job = { .channel = subject->channel,
                              .index = subject->index,
                              .device = subject->device,
                              .tiny = subject->chain->links[0].launch,
                              .near = subject->near,
                              .precedence = subject->precedence };
  TpTransferTimes times;
  gint64 time_ns;
  TpSample many;

  tp_near_wait (subject->near, subject->precedence, subject->channel);
  if (!tp_burst_measure (subject->device, job.tiny, &many, error)
      || !tp_burst_measure (subject->device, job.tiny, &many, error))
    return FALSE;
  /* beside a large kernel what a queue adds to short ones is hard to see */
  subject->row->launch_ns = MIN (subject->row->launch_ns, many.time_ns);
  if (!tp_transfers_time_launch (&job, &time_ns, error)
      || !tp_transfers_time_launch (&job, &time_ns, error))
    return FALSE;
  subject->row->sync_ns = MAX (0, time_ns - subject->row->launch_ns);
  if (!measure_copies (&job, &times, error))
    return FALSE;
  tp_transfers_fit (&times, 1, &subject->row->to_device, &subject->row->to_host);
  return TRUE;
}

/* In another process than the first, whose figures hold if this fails. */
static void
measure_again (Subject *subject)
{
  const TpTransferJob job = { .channel = subject->channel,
                              .index = subject->index,
                              .device = subject->device,
                              .near = subject->near,
                              .precedence = subject->precedence };
  g_autoptr (GError) failure = NULL;
  TpTransferTimes times;

  tp_precedence_take (subject->precedence);
  if (!measure_copies (&job, &times, &failure))
    tp_channel_send (subject->channel, TP_MESSAGE_WARN,
                     g_variant_new ("(is)", subject->index, failure->message));
  tp_precedence_leave (subject->precedence);
}

static gboolean
measure_hand_over (Subject *subject, GError **error)
{
  const TpHandOverJob job = { .channel = subject->channel,
                              .index = subject->index,
                              .device = subject->row->name,
                              .n_threads = subject->n_threads,
                              .near = subject->near,
                              .precedence = subject->precedence };

  return tp_hand_over_measure (&job, subject->row, error);
}

/* ---- one device --------------------------------------------------------- */

static gboolean
measure_chain (Subject *subject, const TpKeys *keys, gboolean is_host,
               GError **error)
{
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  TpArray *const passes[TP_N_PASSES] = { links };
  gboolean is_good;

  for (int i = 0; i < keys->n; i++)
    tp_array_append_val (links, i);
  subject->chain = tp_chain_new (subject->device, subject->graph,
                                 &(TpChainWanted) { .keys = keys, .passes = passes }, error);
  if (subject->chain == NULL)
    return FALSE;
  is_good = measure_speeds (subject, error)
            && (is_host || (measure_transfers (subject, error)
                            && measure_hand_over (subject, error)));
  tp_precedence_leave (subject->precedence);
  g_clear_pointer (&subject->chain, tp_chain_free);
  return is_good;
}

static gboolean
measure_device (Subject *subject, const TpDeviceInfo *info, GError **error)
{
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (TpKeys) keys = NULL;

  subject->sizes = tp_constants_choose_sizes (info);
  subject->row->is_host = info->is_host;
  subject->row->memory_bytes = MAX (info->memory_bytes, 0);
  graph = tp_constants_build_graph (&subject->sizes, error);
  if (graph == NULL)
    return FALSE;
  keys = tp_keys_new (graph, NULL, TRUE);
  subject->graph = graph;
  return measure_chain (subject, keys, info->is_host, error);
}

/* ---- the row as a message ------------------------------------------------ */

static GVariant *
pack_fit (const TpFit *fit)
{
  g_autofree char *points = tp_fit_points_to_text (fit);

  return g_variant_new (FIT_TYPE, fit->base_ns, fit->per_byte_ns,
                        fit->residual, points);
}

static gboolean
unpack_fit (GVariant *packed, TpFit *out_fit)
{
  g_autoptr (GVariant) owned = packed;
  const char *points;

  g_variant_get (owned, "(ddd&s)", &out_fit->base_ns, &out_fit->per_byte_ns,
                 &out_fit->residual, &points);
  return tp_fit_points_from_text (points, out_fit);
}

static const gsize fits[] = {
  G_STRUCT_OFFSET (TpDeviceRow, to_device),
  G_STRUCT_OFFSET (TpDeviceRow, to_host),
  G_STRUCT_OFFSET (TpDeviceRow, map_to_device),
  G_STRUCT_OFFSET (TpDeviceRow, map_to_host),
};

static void
send_row (const Subject *subject)
{
  const TpDeviceRow *row = subject->row;
  GVariantBuilder packed;

  g_variant_builder_init (&packed, G_VARIANT_TYPE ("a" FIT_TYPE));
  for (gsize i = 0; i < G_N_ELEMENTS (fits); i++)
    g_variant_builder_add_value (
        &packed, pack_fit (G_STRUCT_MEMBER_P (row, fits[i])));
  tp_channel_send (
      subject->channel, TP_MESSAGE_DEVICE,
      g_variant_new (ROW_TYPE, subject->index, row->name, row->identity,
                     row->facts, row->is_host, row->peak_gflops,
                     row->bandwidth_gbps, row->launch_ns, row->sync_ns,
                     row->full_points, row->memory_bytes, row->map_permille,
                     &packed));
}

static gboolean
unpack_fits (GVariant *packed, TpDeviceRow *row)
{
  g_autoptr (GVariant) owned = packed;
  gboolean is_good = g_variant_n_children (owned) == G_N_ELEMENTS (fits);

  for (gsize i = 0; i < G_N_ELEMENTS (fits) && is_good; i++)
    is_good = unpack_fit (g_variant_get_child_value (owned, i),
                          G_STRUCT_MEMBER_P (row, fits[i]));
  return is_good;
}

TpDeviceRow *
tp_constants_read (GVariant *payload, int *out_device)
{
  g_autoptr (TpDeviceRow) row = NULL;
  GVariant *packed;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE (ROW_TYPE)))
    return NULL;
  row = g_new0 (TpDeviceRow, 1);
  row->counters = g_strdup ("");
  row->speeds = g_strdup ("");
  g_variant_get (payload, "(" HEAD_TYPE "@a" FIT_TYPE ")", out_device,
                 &row->name, &row->identity, &row->facts, &row->is_host,
                 &row->peak_gflops, &row->bandwidth_gbps, &row->launch_ns,
                 &row->sync_ns, &row->full_points, &row->memory_bytes,
                 &row->map_permille, &packed);
  row->measured_at = g_get_real_time () / G_USEC_PER_SEC;
  return unpack_fits (packed, row) ? g_steal_pointer (&row) : NULL;
}

/* A device that fails at its work is given up, unless there is no other. */
static gboolean
give_up (TpChannel *channel, const TpConstantsJob *job, int index,
         GError **error)
{
  if (job->n_devices == 1)
    return FALSE;
  tp_channel_send (channel, TP_MESSAGE_GIVE_UP,
                   g_variant_new ("(is)", index, (*error)->message));
  g_clear_error (error);
  return TRUE;
}

static gboolean
do_device (TpChannel *channel, const TpConstantsJob *job, Quiet *quiet,
           int index, GError **error)
{
  const TpDeviceOptions options = { .n_threads = job->n_threads };
  const char *name = job->devices[index];
  g_autoptr (TpDeviceRow) row = tp_device_row_new ();
  Subject subject = { .channel = channel, .index = index, .row = row,
                      .precedence = &quiet->precedence, .near = &quiet->near,
                      .n_threads = tp_threads_count (job->n_threads) };
  TpDeviceInfo info;
  g_autofree char *what = g_strdup_printf ("probing %s", name);

  tp_channel_send (channel, TP_MESSAGE_PROGRESS, g_variant_new ("(is)", 0,
                                                                what));
  tp_channel_beat (channel, TP_PHASE_OPEN, index, -1);
  subject.device = tp_device_open (name, &options, error);
  if (subject.device == NULL)
    return FALSE;
  if (job->is_again)
    {
      measure_again (&subject);
      return TRUE;
    }
  subject.device->ops->describe (subject.device, &info);
  g_free (row->name);
  row->name = g_strdup (name);
  if (!measure_device (&subject, &info, error))
    return give_up (channel, job, index, error);
  g_free (row->identity);
  g_free (row->facts);
  row->identity = g_utf8_make_valid (info.identity, -1);
  row->facts = tp_facts_gather_opened (name, job->n_threads);
  tp_device_info_clear (&info);
  send_row (&subject);
  tp_channel_send (channel, TP_MESSAGE_PROGRESS,
                   g_variant_new ("(is)", 1, what));
  return TRUE;
}

void
tp_constants_work (TpChannel *channel, gpointer data)
{
  const TpConstantsJob *job = data;
  g_autoptr (GError) error = NULL;
  Quiet quiet;
  int i;

  tp_precedence_init (&quiet.precedence, tp_threads_count (job->n_threads));
  tp_near_init (&quiet.near, tp_threads_count (job->n_threads),
                &job->least, job->is_brief);
  for (i = 0; i < job->n_devices && error == NULL; i++)
    if (job->is_wanted[i])
      do_device (channel, job, &quiet, i, &error);
  if (error != NULL) /* once more: the first process did come through with it */
    tp_channel_send (channel, job->is_again ? TP_MESSAGE_WARN : TP_MESSAGE_FATAL,
                     g_variant_new ("(is)", job->is_again ? i - 1 : error->code,
                                    error->message));
  tp_precedence_clear (&quiet.precedence);
}
