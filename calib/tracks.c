/* tracks.c: see tracks.h. */
#include "config.h"

#include "calib/tracks.h"

#define SCALE_ONE 1000000     /* scales are kept as whole numbers */
#define SCALE_MIN 0.25        /* a queue is that much faster without stamps */
#define SCALE_MAX 1.25
#define JUDGE_NS 1000000      /* a sum that tells of a clock */
#define SMALL 0.01            /* of the whole: does not decide anything */

/* ---- which -------------------------------------------------------------- */

static void
track_clear (gpointer data)
{
  g_array_unref (((TpTrack *) data)->links);
}

static TpTrack *
get_track (const TpTracks *tracks, int index)
{
  return &g_array_index (tracks->tracks, TpTrack, index);
}

static int
find_track (TpTracks *tracks, int link, GHashTable *known)
{
  const TpLink *where = &tracks->chain->links[link];
  const char *name = tp_chain_get_name (tracks->chain, link);
  TpTrack track = { .key = where->key, .pass = where->pass };
  gpointer found;

  if (g_hash_table_lookup_extended (known, name, NULL, &found))
    return GPOINTER_TO_INT (found);
  track.links = g_array_new (FALSE, FALSE, sizeof (int));
  g_hash_table_insert (known, (gpointer) name,
                       GINT_TO_POINTER (tracks->tracks->len));
  g_array_append_val (tracks->tracks, track);
  return tracks->tracks->len - 1;
}

void
tp_tracks_init (TpTracks *tracks, const TpChain *chain,
                const gboolean *is_wanted)
{
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  tracks->chain = chain;
  tracks->least = (TpProcessors){ 0 };
  tracks->tracks = g_array_new (FALSE, FALSE, sizeof (TpTrack));
  g_array_set_clear_func (tracks->tracks, track_clear);
  tracks->samples = g_new0 (GArray *, chain->n_links + 1);
  for (int i = 0; i < TP_N_PASSES; i++)
    tracks->scales[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (int i = 0; i < chain->n_links; i++)
    if (is_wanted[chain->links[i].key])
      {
        TpTrack *track = get_track (tracks, find_track (tracks, i, known));

        if (track->pass != chain->links[i].pass)
          continue;
        g_array_append_val (track->links, i);
        tracks->samples[i] = g_array_new (FALSE, FALSE, sizeof (TpSample));
      }
}

void
tp_tracks_clear (TpTracks *tracks)
{
  for (int i = 0; i < tracks->chain->n_links; i++)
    g_clear_pointer (&tracks->samples[i], g_array_unref);
  for (int i = 0; i < TP_N_PASSES; i++)
    g_array_unref (tracks->scales[i]);
  g_free (tracks->samples);
  g_array_unref (tracks->tracks);
}

/* ---- samples ------------------------------------------------------------ */

void
tp_tracks_take (TpTracks *tracks, const TpSample *samples, int pass)
{
  gint64 scale = (gint64) (tracks->chain->scale * SCALE_ONE);

  g_array_append_val (tracks->scales[pass], scale);
  for (int i = 0; i < tracks->chain->n_links; i++)
    if (samples[i].time_ns > 0 && tracks->samples[i] != NULL)
      g_array_append_val (tracks->samples[i], samples[i]);
}

void
tp_tracks_forget (TpTracks *tracks)
{
  for (int i = 0; i < tracks->chain->n_links; i++)
    if (tracks->samples[i] != NULL)
      g_array_set_size (tracks->samples[i], 0);
  for (int i = 0; i < TP_N_PASSES; i++)
    g_array_set_size (tracks->scales[i], 0);
}

/* ---- scale -------------------------------------------------------------- */

static double
find_raw_scale (const TpTracks *tracks, int pass)
{
  GArray *scales = tracks->scales[pass];
  TpStats stats;

  if (scales->len == 0)
    return 1;
  tp_stats_compute ((const gint64 *) scales->data, scales->len, &stats);
  return (double) stats.median_ns / SCALE_ONE;
}

static gboolean
is_odd (const TpTracks *tracks, int pass)
{
  double scale = find_raw_scale (tracks, pass);
  gint64 sum_ns = 0;

  for (int i = 0; i < tracks->chain->n_links; i++)
    if (tracks->chain->links[i].pass == pass && tracks->samples[i] != NULL
        && tracks->samples[i]->len > 0)
      sum_ns += g_array_index (tracks->samples[i], TpSample, 0).time_ns;
  return (scale < SCALE_MIN || scale > SCALE_MAX)
         && MAX (sum_ns, (gint64) (sum_ns * scale)) >= JUDGE_NS;
}

/* Of the clock of the device to that of the caller. */
static double
find_scale (const TpTracks *tracks, int pass)
{
  double scale = find_raw_scale (tracks, pass);

  /* times too short to judge by: the device's clock is taken for right */
  return is_odd (tracks, pass) ? scale : CLAMP (scale, SCALE_MIN, SCALE_MAX);
}

gboolean
tp_tracks_has_odd_clock (const TpTracks *tracks)
{
  for (int i = 0; i < TP_N_PASSES; i++)
    if (is_odd (tracks, i))
      return TRUE;
  return FALSE;
}

/* ---- figures ------------------------------------------------------------ */

/* Adds the figures of a place to @sum; n: the least of any. */
static int
add_place (GArray *samples, const TpProcessors *least, TpStats *sum)
{
  TpStats stats;
  int n_disturbed = tp_samples_compute (
      (const TpSample *) (const void *) samples->data, samples->len,
      least, &stats);

  sum->n = sum->n == 0 ? stats.n : MIN (sum->n, stats.n);
  sum->min_ns += stats.min_ns;
  sum->median_ns += stats.median_ns;
  sum->mad_ns += stats.mad_ns;
  sum->half_ns += stats.half_ns;
  return n_disturbed;
}

static void
look_at_processors (TpTracks *tracks, const GArray *samples, TpTrack *track)
{
  const TpSample *all = (const TpSample *) (const void *) samples->data;
  TpProcessors *worst = &track->processors, its;

  tp_samples_find_processors (all, samples->len, &tracks->least, &its);
  worst->handover_ns = MAX (worst->handover_ns, its.handover_ns);
  worst->crowding = MAX (worst->crowding, its.crowding);
  worst->contention = MAX (worst->contention, its.contention);
  for (guint i = 0; i < samples->len; i++)
    tracks->n_contended
        += tp_samples_are_contended (&all[i].processors, &tracks->least);
}

static void
take_mean (TpStats *stats, int n_places, double scale)
{
  stats->min_ns = MAX (1, (gint64) (stats->min_ns * scale / n_places));
  stats->median_ns = MAX (1, (gint64) (stats->median_ns * scale / n_places));
  stats->mad_ns = (gint64) (stats->mad_ns * scale / n_places);
  stats->half_ns = MAX (1, (gint64) (stats->half_ns * scale / n_places));
}

void
tp_tracks_compute (TpTracks *tracks)
{
  tracks->n_samples = tracks->n_disturbed = 0;
  tracks->n_contended = 0;
  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      TpTrack *track = get_track (tracks, i);
      int n_places = 0;

      track->stats = (TpStats){ 0 };
      track->processors = (TpProcessors){ 0 };
      for (guint k = 0; k < track->links->len; k++)
        {
          int link = g_array_index (track->links, int, k);
          GArray *samples = tracks->samples[link];

          if (samples->len == 0)
            continue;
          tracks->n_disturbed += add_place (
              samples, &tracks->least, &track->stats);
          look_at_processors (tracks, samples, track);
          tracks->n_samples += samples->len;
          n_places++;
          track->schedule = tracks->chain->links[link].schedule;
        }
      if (n_places > 0)
        take_mean (&track->stats, n_places, find_scale (tracks, track->pass));
    }
}

int
tp_tracks_count_apart (const TpTracks *tracks, const TpProcessors *in_vain)
{
  int n = 0;

  for (int i = 0; i < tracks->chain->n_links; i++)
    for (guint k = 0; tracks->samples[i] != NULL && k < tracks->samples[i]->len;
         k++)
      {
        const TpProcessors *its
            = &g_array_index (tracks->samples[i], TpSample, k).processors;

        n += tp_samples_are_apart (its, &tracks->least)
             || tp_samples_are_apart (its, in_vain);
      }
  return n;
}

static gboolean
is_settled (const TpTrack *track, int n_min)
{
  return track->is_beaten || track->is_out
         || tp_stats_is_settled (&track->stats, n_min);
}

gboolean
tp_tracks_are_settled (const TpTracks *tracks, int n_min,
                       gboolean *out_is_settled)
{
  gint64 whole_ns = 0, unsettled_ns = 0;
  gboolean is_enough;

  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      const TpTrack *track = get_track (tracks, i);

      whole_ns += track->stats.median_ns * track->links->len;
      if (track->stats.n > 0 && !is_settled (track, n_min))
        unsettled_ns += (track->stats.half_ns + track->stats.median_ns / 20)
                        * track->links->len;
    }
  is_enough = unsettled_ns <= whole_ns * SMALL;
  for (guint i = 0; out_is_settled != NULL && i < tracks->tracks->len; i++)
    out_is_settled[i] = is_enough || is_settled (get_track (tracks, i), n_min);
  return is_enough;
}
