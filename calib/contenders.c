/* contenders.c: see contenders.h. */
#include "config.h"

#include "calib/contenders.h"

#include <string.h>

#define N_JUDGED 6            /* samples that an interval takes */
#define WORTH 0.01            /* of the time: less is not worth another kernel */

/* ---- which -------------------------------------------------------------- */

static void
add_unless_there (TpPointers *texts, const char *text)
{
  for (guint i = 0; i < texts->len; i++)
    if (strcmp (texts->pdata[i], text) == 0)
      return;
  tp_pointers_add (texts, g_strdup (text));
}

static TpPointers *
list_close (const TpLowered *lowered, const TpTarget *target,
            const char *known, gboolean is_relaxed)
{
  g_autoptr (TpPointers) texts = tp_pointers_new (g_free);
  g_autofree char *rival = tp_program_find_rival (lowered, target);
  g_autofree char *relaxed
      = is_relaxed ? tp_program_find_relaxed (lowered, target) : NULL;
  g_autoptr (TpProgram) program = NULL, model = NULL;

  if (rival != NULL)
    tp_pointers_add (texts, g_steal_pointer (&rival));
  if (relaxed != NULL)
    tp_pointers_add (texts, g_steal_pointer (&relaxed));
  if (known == NULL || *known == 0)
    return g_steal_pointer (&texts);
  model = tp_program_new (lowered, target, NULL, NULL);
  program = tp_program_new (lowered, target, known, NULL);
  if (model != NULL && program != NULL
      && strcmp (program->schedule, model->schedule) != 0)
    add_unless_there (texts, program->schedule);
  return g_steal_pointer (&texts);
}

TpPointers *
tp_contenders_list (const TpLowered *lowered, const TpTarget *target,
                    int n_candidates, const char *known, gboolean is_relaxed)
{
  g_autoptr (TpPointers) texts = NULL, all = NULL;

  if (n_candidates < 2)
    return list_close (lowered, target, known, is_relaxed);
  texts = tp_pointers_new (g_free);
  all = tp_program_list_candidates (lowered, target, n_candidates, is_relaxed,
                                    NULL);
  for (guint i = 1; i < all->len; i++)
    tp_pointers_add (texts, g_strdup (all->pdata[i]));
  return g_steal_pointer (&texts);
}

/* ---- whose -------------------------------------------------------------- */

static TpTrack *
get_track (const TpTracks *tracks, int index)
{
  return &g_array_index (tracks->tracks, TpTrack, index);
}

static gboolean
is_same_kernel (const TpTracks *tracks, int a, int b)
{
  const TpKey *keys = tracks->chain->keys->keys;

  return strcmp (keys[get_track (tracks, a)->key].digest,
                 keys[get_track (tracks, b)->key].digest) == 0;
}

static gboolean
is_model (const TpTracks *tracks, int index)
{
  int link = g_array_index (get_track (tracks, index)->links, int, 0);

  return tracks->chain->links[link].rival == NULL;
}

static gboolean
is_relaxed (const TpTracks *tracks, int index)
{
  int link = g_array_index (get_track (tracks, index)->links, int, 0);

  return !is_model (tracks, index)
         && tp_program_is_relaxed (tracks->chain->links[link].rival);
}

char *
tp_contenders_describe (const TpTracks *tracks, int index)
{
  int n = 0;

  if (get_track (tracks, index)->is_tried)
    return g_strdup ("");
  for (guint i = 0; i < tracks->tracks->len; i++)
    n += is_same_kernel (tracks, i, index)
         && get_track (tracks, i)->stats.n > 0;
  return n == 1 ? g_strdup ("the only schedule")
                : g_strdup_printf ("the best of %d schedules", n);
}

/* ---- thinning ----------------------------------------------------------- */

/* How many of the others of its kernel are faster, of those as accurate. */
static int
count_faster (const TpTracks *tracks, int index)
{
  const TpTrack *track = get_track (tracks, index);
  gboolean is = is_relaxed (tracks, index);
  int n = 0;

  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      const TpTrack *other = get_track (tracks, i);

      n += (int) i != index && is_same_kernel (tracks, i, index)
           && !is_model (tracks, i) && is_relaxed (tracks, i) == is
           && other->stats.n > 0
           && (other->stats.median_ns < track->stats.median_ns
               || (other->stats.median_ns == track->stats.median_ns
                   && (int) i < index));
    }
  return n;
}

static void
remove_links (GArray *bound, const GArray *links)
{
  for (guint i = 0; i < links->len; i++)
    for (guint k = bound->len; k-- > 0;)
      if (g_array_index (bound, int, k) == g_array_index (links, int, i))
        g_array_remove_index (bound, k);
}

void
tp_contenders_thin (TpTracks *tracks, int n_kept, GArray *bound)
{
  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      TpTrack *track = get_track (tracks, i);

      track->is_out = !is_model (tracks, i)
                      && count_faster (tracks, i) >= n_kept;
      if (track->is_out)
        remove_links (bound, track->links);
    }
}

/* ---- judging ------------------------------------------------------------ */

static gboolean
is_surely_faster (const TpStats *stats, const TpStats *than)
{
  return stats->n >= N_JUDGED && than->n >= N_JUDGED
         && stats->median_ns + stats->half_ns < than->median_ns - than->half_ns
         && stats->median_ns < (1 - WORTH) * than->median_ns;
}

/* The one to be used of the kernel of track @model, the model's, by who takes larger
 * errors or does not. */
static int
find_winner (const TpTracks *tracks, int model, gboolean takes_relaxed)
{
  int best = model;

  for (guint i = 0; i < tracks->tracks->len; i++)
    if (is_same_kernel (tracks, i, model) && !get_track (tracks, i)->is_out
        && (takes_relaxed || !is_relaxed (tracks, i))
        && is_surely_faster (&get_track (tracks, i)->stats,
                             &get_track (tracks, model)->stats)
        && get_track (tracks, i)->stats.median_ns
               < get_track (tracks, best)->stats.median_ns)
      best = i;
  return best;
}

void
tp_contenders_judge (TpTracks *tracks)
{
  for (guint i = 0; i < tracks->tracks->len; i++)
    {
      int strict, any;

      if (!is_model (tracks, i))
        continue;
      strict = find_winner (tracks, i, FALSE);
      any = find_winner (tracks, i, TRUE);
      for (guint k = 0; k < tracks->tracks->len; k++)
        if (is_same_kernel (tracks, i, k))
          get_track (tracks, k)->is_tried = (int) k != strict && (int) k != any;
    }
}
