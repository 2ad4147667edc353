/* probe.c: see probe.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include "calib/probe.h"

#include "calib/stats.h"
#include "ir/clock.h"
#include "runtime/pool.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define N_STEPS 4096
#define N_WORDS (TP_PROBE_STREAM_BYTES / (int) sizeof (guint64))
#define SPIN_NS 30000
#define WAKE_NS 300000         /* until a thread that slept is there */
#define N_TRIES 6
#define N_CLOCKS 5             /* of a few us each: one may be interrupted */
#define N_THROWS 8
#define N_PER_THROW 8
#define N_LINKS 2048
#define N_BRIEF_STEPS 1024
#define N_BRIEF_LINKS 512      /* of each chain: 7 times as many as steps */
#define N_BRIEF_TRIES 5
#define CACHE_MIN (G_GINT64_CONSTANT (32) << 20)
#define CACHE_MAX (G_GINT64_CONSTANT (512) << 20)

static gint64
time_steps (int n_steps)
{
  volatile double seed = 0.5;
  double value = seed;
  gint64 before = tp_clock_get_ns ();

  for (int i = 0; i < n_steps; i++)
    value = value * 0.999 + 0.001;
  seed = value;
  return tp_clock_get_ns () - before;
}

gint64
tp_probe_fma_ns (void)
{
  gint64 times_ns[N_CLOCKS];
  TpStats stats;

  for (int i = 0; i < N_CLOCKS; i++)
    times_ns[i] = time_steps (N_STEPS);
  tp_stats_compute (times_ns, N_CLOCKS, &stats);
  return stats.median_ns;
}

/* "32768K" */
gint64
tp_probe_get_cache_bytes (void)
{
  gint64 most = CACHE_MIN;

  for (int i = 0; i < 8; i++)
    {
      g_autofree char *path = g_strdup_printf (
          "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
      g_autofree char *text = NULL;
      gint64 bytes;
      char *end;

      if (!g_file_get_contents (path, &text, NULL, NULL))
        continue;
      bytes = strtoll (text, &end, 10);
      if (bytes > 0 && bytes < CACHE_MAX)
        most = MAX (most, bytes << (*end == 'K' ? 10 : *end == 'M' ? 20 : 0));
    }
  return MIN (most, CACHE_MAX);
}

/* Slices of twice what the cache holds, each in its turn: when one comes again
 * the others have driven it out. Made once, lives as long as the process; NULL:
 * no memory. */
static const guint64 *
get_slice (void)
{
  static guint64 *words;
  static int n_slices, next;

  if (words == NULL)
    {
      n_slices = (int) (2 * tp_probe_get_cache_bytes () / (8 * N_WORDS));
      words = g_try_new (guint64, (gsize) n_slices * N_WORDS);
      if (words == NULL)
        return NULL;
      for (gsize i = 0; i < (gsize) n_slices * N_WORDS; i++)
        words[i] = i;
    }
  next = (next + 1) % n_slices;
  return words + (gsize) next * N_WORDS;
}

gint64
tp_probe_stream_ns (void)
{
  const guint64 *words = get_slice ();
  volatile guint64 result;
  guint64 sum = 0;
  gint64 before;

  if (words == NULL)
    return 0;
  before = tp_clock_get_ns ();
  for (int i = 0; i < N_WORDS; i++)
    sum += words[i];
  result = sum;
  (void) result;
  return tp_clock_get_ns () - before;
}

/* Calls @use with what /sys/devices/system/cpu/cpuN/@name says of each processor
 * allowed, until it or the file fails. */
typedef gboolean (*ListUser) (const char *list, gpointer data);

static gboolean
read_lists (const char *name, ListUser use, gpointer data)
{
  cpu_set_t mask;

  if (sched_getaffinity (0, sizeof mask, &mask) != 0)
    return FALSE;
  for (int i = 0; i < CPU_SETSIZE; i++)
    {
      g_autofree char *path = g_strdup_printf ("/sys/devices/system/cpu/cpu%d/%s",
                                               i, name);
      g_autofree char *text = NULL;

      if (CPU_ISSET (i, &mask)
          && (!g_file_get_contents (path, &text, NULL, NULL)
              || !use (text, data)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_as_first (const char *list, gpointer data)
{
  char **first = data;

  if (*first == NULL)
    *first = g_strdup (list);
  return strcmp (*first, list) == 0;
}

gboolean
tp_probe_is_cache_shared (void)
{
  gboolean is_shared = FALSE;

  for (int level = 2; level < 8 && !is_shared; level++)
    {
      g_autofree char *name = g_strdup_printf ("cache/index%d/shared_cpu_list",
                                               level);
      g_autofree char *first = NULL;

      is_shared = read_lists (name, is_as_first, &first);
    }
  return is_shared;
}

static gboolean
is_new (const char *list, gpointer data)
{
  return g_hash_table_add (data, g_strdup (list));
}

gboolean
tp_probe_has_own_cores (void)
{
  g_autoptr (GHashTable) seen
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  return read_lists ("topology/thread_siblings_list", is_new, seen);
}

/* ---- threads ------------------------------------------------------------ */

typedef struct
{
  volatile gint ball;         /* odd: thrown to the other */
  gint64 best_ns;
} Game;

static gboolean
wait_for_ball (Game *game, int ball, gint64 until_ns)
{
  while (g_atomic_int_get (&game->ball) != ball)
    if (tp_clock_get_ns () > until_ns)
      return FALSE;
  return TRUE;
}

static void
throw_balls (Game *game)
{
  for (int i = 0; i < N_THROWS; i++)
    {
      gint64 begin_ns = tp_clock_get_ns (), time_ns;

      for (int k = 0; k < N_PER_THROW; k++)
        {
          int ball = 2 * (i * N_PER_THROW + k) + 1;

          g_atomic_int_set (&game->ball, ball);
          if (!wait_for_ball (game, ball + 1,
                              begin_ns + (ball == 1 ? WAKE_NS : SPIN_NS)))
            return;
        }
      time_ns = (tp_clock_get_ns () - begin_ns) / N_PER_THROW;
      if (game->best_ns == 0 || time_ns < game->best_ns)
        game->best_ns = MAX (time_ns, 1);
    }
}

static void
return_balls (Game *game)
{
  for (int i = 0; i < N_THROWS * N_PER_THROW; i++)
    {
      if (!wait_for_ball (game, 2 * i + 1, tp_clock_get_ns () + SPIN_NS))
        return;
      g_atomic_int_set (&game->ball, 2 * i + 2);
    }
}

/* Who does both finds nobody to play with, and gives up. */
static void
play (gpointer data, gint64 first, gint64 end, int thread)
{
  for (gint64 i = first; i < end; i++)
    (i == 0 ? throw_balls : return_balls) (data);
}

static gint64
find_handover (int n_threads)
{
  for (int i = 0; i < N_TRIES && n_threads > 1; i++)
    {
      Game game = { 0, 0 };

      tp_pool_run (2, 2, play, &game);
      if (game.best_ns > 0)
        return game.best_ns;
    }
  return 0;
}

#define N_CHAINS 14 /* and two constants: what vector registers there are */

typedef float Vector __attribute__ ((vector_size (16)));

/* As many multiply-adds at once as a core has units for. */
static gint64
time_chains (int n_links)
{
  const Vector by = { 0.999f, 0.999f, 0.999f, 0.999f };
  const Vector plus = { 0.001f, 0.001f, 0.001f, 0.001f };
  volatile float result;
  Vector chains[N_CHAINS];
  gint64 before;

  for (int i = 0; i < N_CHAINS; i++)
    chains[i] = plus * (float) i;
  before = tp_clock_get_ns ();
  for (int k = 0; k < n_links; k++)
    {
#pragma GCC unroll 14
      for (int i = 0; i < N_CHAINS; i++)
        chains[i] = chains[i] * by + plus;
    }
  for (int i = 1; i < N_CHAINS; i++)
    chains[0] += chains[i];
  result = chains[0][0];
  (void) result;
  return tp_clock_get_ns () - before;
}

typedef struct
{
  gint64 time_ns[TP_POOL_MAX_THREADS]; /* by thread; 0: it did nothing */
} Crowd;

static void
join_in (gpointer data, gint64 first, gint64 end, int thread)
{
  Crowd *crowd = data;

  for (gint64 i = first; i < end; i++)
    crowd->time_ns[thread] += time_chains (N_LINKS);
}

/* 0: not all threads were there. */
static gint64
time_together (int n_threads)
{
  Crowd crowd = { { 0 } };
  gint64 most_ns = 0;

  tp_pool_run (n_threads, n_threads, join_in, &crowd);
  for (int i = 0; i < n_threads; i++)
    {
      if (crowd.time_ns[i] == 0)
        return 0;
      most_ns = MAX (most_ns, crowd.time_ns[i]);
    }
  return most_ns;
}

static gint64
find_crowding (int n_threads)
{
  gint64 alone_ns = G_MAXINT64, together_ns = G_MAXINT64, time_ns;

  for (int i = 0; i < N_TRIES && n_threads > 1; i++)
    {
      alone_ns = MIN (alone_ns, time_chains (N_LINKS));
      time_ns = time_together (n_threads);
      if (time_ns > 0)
        together_ns = MIN (together_ns, time_ns);
    }
  return together_ns == G_MAXINT64 || alone_ns < 1
             ? 0 : MAX (together_ns * 1000 / alone_ns, 1000);
}

/* The two hardware threads of a core share its units. Where each multiply-add must
 * wait for the one before, most units are idle anyway, so that takes as long in
 * company as alone, and less at a higher clock: it is what others are measured
 * by. */
static gint64
find_contention_here (void)
{
  gint64 steps_ns = G_MAXINT64, chains_ns[N_BRIEF_TRIES];
  TpStats stats;

  for (int i = 0; i < N_BRIEF_TRIES; i++)
    {
      steps_ns = MIN (steps_ns, time_steps (N_BRIEF_STEPS));
      chains_ns[i] = time_chains (N_BRIEF_LINKS);
    }
  tp_stats_compute (chains_ns, N_BRIEF_TRIES, &stats);
  return stats.median_ns * 1000 / MAX (steps_ns, 1);
}

typedef struct
{
  int n_threads;
  volatile gint n_there;
  gint64 contention[TP_POOL_MAX_THREADS];
} Contest;

/* Who is alone has taken what was another's. */
static gboolean
wait_for_all (Contest *contest)
{
  gint64 until_ns = tp_clock_get_ns () + WAKE_NS;

  g_atomic_int_inc (&contest->n_there);
  while (g_atomic_int_get (&contest->n_there) < contest->n_threads)
    if (tp_clock_get_ns () > until_ns)
      return FALSE;
  return TRUE;
}

static void
contend (gpointer data, gint64 first, gint64 end, int thread)
{
  Contest *contest = data;

  if (wait_for_all (contest))
    contest->contention[thread] = find_contention_here ();
}

/* 0: not all threads were there. */
static gint64
find_contention_once (int n_threads)
{
  Contest contest = { .n_threads = n_threads };
  gint64 most = 0;

  tp_pool_run (n_threads, n_threads, contend, &contest);
  for (int i = 0; i < n_threads; i++)
    {
      if (contest.contention[i] == 0)
        return 0;
      most = MAX (most, contest.contention[i]);
    }
  return most;
}

gint64
tp_probe_contention (int n_threads)
{
  gint64 contention = 0;

  n_threads = CLAMP (n_threads, 1, TP_POOL_MAX_THREADS);
  for (int i = 0; i < N_TRIES && contention == 0; i++)
    contention = find_contention_once (n_threads);
  return contention;
}

void
tp_probe_processors (int n_threads, TpProcessors *out_processors)
{
  n_threads = MIN (n_threads, TP_POOL_MAX_THREADS);
  out_processors->contention = tp_probe_contention (n_threads);
  out_processors->handover_ns = find_handover (n_threads);
  out_processors->crowding = find_crowding (n_threads);
  out_processors->fma_ns = tp_probe_fma_ns ();
}

typedef struct
{
  volatile gint n_runs[TP_POOL_MAX_THREADS]; /* items, by thread */
} Attendance;

static void
attend (gpointer data, gint64 first, gint64 end, int thread)
{
  Attendance *attendance = data;
  gint64 until_ns = tp_clock_get_ns () + (end - first) * SPIN_NS;

  attendance->n_runs[thread] += (gint) (end - first);
  while (tp_clock_get_ns () < until_ns)
    ;
}

/* As many items as threads: who is away has its own taken by another. */
static gboolean
is_whole_once (int n_threads)
{
  Attendance attendance = { { 0 } };

  tp_pool_run (n_threads, n_threads, attend, &attendance);
  for (int i = 0; i < n_threads; i++)
    if (attendance.n_runs[i] != 1)
      return FALSE;
  return TRUE;
}

gboolean
tp_probe_is_pool_whole (int n_threads)
{
  for (int i = 0; i < N_TRIES; i++)
    {
      if (n_threads <= 1 || is_whole_once (n_threads))
        return TRUE;
      if (i % 2 == 1) /* the first may only have woken them up */
        g_usleep (1000);
    }
  return FALSE;
}
