/* probe.c: see probe.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include "calib/probe.h"

#include "ir/clock.h"
#include "runtime/pool.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define N_STEPS 4096
#define N_WORDS (TP_PROBE_STREAM_BYTES / (int) sizeof (guint64))
#define SPIN_NS 30000
#define N_TRIES 6
#define N_THROWS 8
#define N_PER_THROW 8
#define CACHE_MIN (G_GINT64_CONSTANT (32) << 20)
#define CACHE_MAX (G_GINT64_CONSTANT (512) << 20)

gint64
tp_probe_fma_ns (void)
{
  volatile double seed = 0.5;
  double value = seed;
  gint64 before = tp_clock_get_ns ();

  for (int i = 0; i < N_STEPS; i++)
    value = value * 0.999 + 0.001;
  seed = value;
  return tp_clock_get_ns () - before;
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

static gboolean
find_shared (const cpu_set_t *mask, int level, char **out_first)
{
  for (int i = 0; i < CPU_SETSIZE; i++)
    {
      g_autofree char *path = g_strdup_printf (
          "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", i,
          level);
      g_autofree char *text = NULL;

      if (!CPU_ISSET (i, mask))
        continue;
      if (!g_file_get_contents (path, &text, NULL, NULL))
        return FALSE;
      if (*out_first != NULL && strcmp (text, *out_first) != 0)
        return FALSE;
      if (*out_first == NULL)
        *out_first = g_steal_pointer (&text);
    }
  return TRUE;
}

gboolean
tp_probe_is_cache_shared (void)
{
  cpu_set_t mask;

  if (sched_getaffinity (0, sizeof mask, &mask) != 0)
    return FALSE;
  for (int level = 2; level < 8; level++)
    {
      g_autofree char *first = NULL;

      if (find_shared (&mask, level, &first))
        return TRUE;
    }
  return FALSE;
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
          if (!wait_for_ball (game, ball + 1, begin_ns + SPIN_NS))
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

gint64
tp_probe_handover_ns (int n_threads)
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
