/* test-contenders.c: of several schedules of a kernel the model's is used unless
 * another is surely faster, and what is slow early on is timed no longer. */
#include "config.h"

#include "calib/contenders.h"

#include <string.h>

#define N_KERNELS 3
#define N_EACH 6              /* schedules; the last is the model's */
#define N (N_KERNELS * N_EACH)
#define ROUNDS 2000

typedef struct
{
  TpKey key[N_KERNELS];
  TpKeys keys;
  TpLink links[N];
  char names[N][8];
  TpChain chain;
  TpTracks tracks;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  static const char *const digests[N_KERNELS] = { "a", "b", "c" };
  const gboolean is_wanted[N_KERNELS] = { TRUE, TRUE, TRUE };

  (void) unused;
  f->keys = (TpKeys){ .n = N_KERNELS, .keys = f->key };
  f->chain = (TpChain){ .keys = &f->keys, .links = f->links, .n_links = N };
  for (int i = 0; i < N; i++)
    {
      f->key[i / N_EACH].digest = (char *) digests[i / N_EACH];
      f->links[i].key = i / N_EACH;
      g_snprintf (f->names[i], sizeof f->names[i], "%d", i);
      if (i % N_EACH < N_EACH - 1)
        f->links[i].rival = f->links[i].name = f->names[i];
    }
  tp_tracks_init (&f->tracks, &f->chain, is_wanted);
  g_assert_cmpint (f->tracks.tracks->len, ==, N);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  (void) unused;
  tp_tracks_clear (&f->tracks);
}

static TpTrack *
get_track (Fixture *f, int i)
{
  return &g_array_index (f->tracks.tracks, TpTrack, i);
}

/* Few values, so that many are equal. */
static void
make_up (Fixture *f)
{
  for (int i = 0; i < N; i++)
    {
      gint64 median = 1000 * g_test_rand_int_range (1, 12);

      get_track (f, i)->is_out = FALSE;
      get_track (f, i)->stats
          = (TpStats){ .n = g_test_rand_int_range (0, 20), .min_ns = median,
                       .median_ns = median,
                       .half_ns = g_test_rand_int_range (0, 3000) };
    }
}

/* Is the interval of @a below that of @b, seen often enough? */
static gboolean
is_below (const TpStats *a, const TpStats *b)
{
  return a->n >= 6 && b->n >= 6
         && a->median_ns + a->half_ns < b->median_ns - b->half_ns;
}

static void
check_kernel (Fixture *f, int first)
{
  const TpStats *model = &get_track (f, first + N_EACH - 1)->stats;
  int n_used = 0, used = -1;

  for (int i = first; i < first + N_EACH; i++)
    if (!get_track (f, i)->is_tried)
      {
        n_used++;
        used = i;
      }
  g_assert_cmpint (n_used, ==, 1);
  if (used != first + N_EACH - 1)
    g_assert_true (is_below (&get_track (f, used)->stats, model));
  for (int i = first; i < first + N_EACH; i++)
    if (!get_track (f, i)->is_out && is_below (&get_track (f, i)->stats, model))
      g_assert_cmpint (get_track (f, used)->stats.median_ns, <=,
                       get_track (f, i)->stats.median_ns);
}

static void
test_judge (Fixture *f, gconstpointer unused)
{
  (void) unused;
  for (int round = 0; round < ROUNDS; round++)
    {
      make_up (f);
      for (int i = 0; i < N; i++)
        get_track (f, i)->is_out
            = i % N_EACH != N_EACH - 1 && g_test_rand_int_range (0, 3) == 0;
      tp_contenders_judge (&f->tracks);
      for (int k = 0; k < N_KERNELS; k++)
        check_kernel (f, k * N_EACH);
    }
}

/* The model's and @n_kept others stay, none of them slower than one that goes. */
static void
check_kept (Fixture *f, int first, int n_kept, const GArray *bound)
{
  gint64 slowest = 0;
  int n = 0;

  for (int i = first; i < first + N_EACH - 1; i++)
    if (!get_track (f, i)->is_out)
      {
        slowest = MAX (slowest, get_track (f, i)->stats.median_ns);
        n++;
      }
  g_assert_cmpint (n, ==, n_kept);
  g_assert_false (get_track (f, first + N_EACH - 1)->is_out);
  for (int i = first; i < first + N_EACH; i++)
    {
      gboolean is_bound = FALSE;

      for (guint k = 0; k < bound->len; k++)
        is_bound |= g_array_index (bound, int, k) == i;
      g_assert_cmpint (is_bound, ==, !get_track (f, i)->is_out);
      if (get_track (f, i)->is_out)
        g_assert_cmpint (get_track (f, i)->stats.median_ns, >=, slowest);
    }
}

static void
test_thin (Fixture *f, gconstpointer unused)
{
  (void) unused;
  for (int round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GArray) bound = g_array_new (FALSE, FALSE, sizeof (int));
      int n_kept = g_test_rand_int_range (1, N_EACH);

      make_up (f);
      for (int i = 0; i < N; i++)
        {
          get_track (f, i)->stats.n = 6;
          g_array_append_val (bound, i);
        }
      tp_contenders_thin (&f->tracks, n_kept, bound);
      for (int k = 0; k < N_KERNELS; k++)
        check_kept (f, k * N_EACH, n_kept, bound);
    }
}

#define STRICT "winograd output=2 block=1x1 lanes=8 vectors=1 tiles=1 panels=1"
#define RELAXED "winograd output=4 block=1x1 lanes=8 vectors=1 tiles=1 panels=1"

/* Schedules @first and after have larger errors, but for the model's. */
static void
relax (Fixture *f, int first)
{
  for (int i = 0; i < N; i++)
    if (f->links[i].rival != NULL)
      f->links[i].rival = (char *) (i % N_EACH < first ? STRICT : RELAXED);
}

/* Who takes no larger errors has what is best without them, however much faster
 * others are; who does has the best of all. */
static void
test_relaxed (Fixture *f, gconstpointer unused)
{
  static const int first = 2;

  (void) unused;
  relax (f, first);
  for (int round = 0; round < ROUNDS; round++)
    {
      make_up (f);
      tp_contenders_judge (&f->tracks);
      for (int k = 0; k < N_KERNELS; k++)
        {
          const TpStats *model = &get_track (f, (k + 1) * N_EACH - 1)->stats;
          const TpStats *used = NULL, *strict = NULL;

          for (int i = k * N_EACH; i < (k + 1) * N_EACH; i++)
            {
              const TpTrack *it = get_track (f, i);
              gboolean is_strict = i % N_EACH < first || i % N_EACH == N_EACH - 1;

              if (it->is_tried)
                continue;
              if (is_strict && (strict == NULL || it->stats.median_ns < strict->median_ns))
                strict = &it->stats;
              if (used == NULL || it->stats.median_ns < used->median_ns)
                used = &it->stats;
            }
          g_assert_nonnull (strict);
          for (int i = k * N_EACH; i < (k + 1) * N_EACH; i++)
            if (is_below (&get_track (f, i)->stats, model))
              g_assert_cmpint ((i % N_EACH < first ? strict : used)->median_ns,
                               <=, get_track (f, i)->stats.median_ns);
        }
    }
}

/* However many of those are faster, what is best without larger errors is timed on. */
static void
test_thin_relaxed (Fixture *f, gconstpointer unused)
{
  g_autoptr (GArray) bound = g_array_new (FALSE, FALSE, sizeof (int));
  int n_strict = 0, n_relaxed = 0;

  (void) unused;
  relax (f, 2);
  make_up (f);
  for (int i = 0; i < N; i++)
    get_track (f, i)->stats = (TpStats){ .n = 6, .median_ns = 1000 * (N - i) };
  tp_contenders_thin (&f->tracks, 1, bound);
  for (int i = 0; i < N; i++)
    if (!get_track (f, i)->is_out)
      {
        n_strict += i % N_EACH < 2;
        n_relaxed += i % N_EACH >= 2 && i % N_EACH < N_EACH - 1;
      }
  g_assert_cmpint (n_strict, ==, N_KERNELS);
  g_assert_cmpint (n_relaxed, ==, N_KERNELS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/contenders/judge", Fixture, NULL, set_up, test_judge,
              tear_down);
  g_test_add ("/contenders/relaxed", Fixture, NULL, set_up, test_relaxed,
              tear_down);
  g_test_add ("/contenders/thin-relaxed", Fixture, NULL, set_up,
              test_thin_relaxed, tear_down);
  g_test_add ("/contenders/thin", Fixture, NULL, set_up, test_thin, tear_down);
  return g_test_run ();
}
