/* interference.c: see interference.h.
 *
 * An engine alone does its work over and over, then with one other at the same time,
 * each in a thread of its own, as sessions have them. Work is a MatMul and a map over
 * megabytes, or a copy of some: of a tenth of a millisecond or so each, as in networks,
 * for where a driver does one thing at a time others wait for all of it. What counts is
 * how long one piece of work takes while the other engine is at its own: the median of
 * pieces, then of rounds. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "config.h"

#include "calib/interference.h"

#include "calib/chain-time.h"
#include "calib/constants-graph.h"
#include "calib/measure.h"
#include "calib/patience.h"
#include "calib/stats.h"
#include "ir/clock.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <pthread.h>
#include <sched.h>

#define N_ROUNDS 3
#define N_PIECES 5            /* at least, of each engine */
#define N_PIECES_MAX 4096
#define DURATION_NS (40 * 1000 * 1000) /* and no more than a part of patience */
#define PARTS 20
#define COPY_BYTES (4 << 20)
#define SMALLER 4             /* side of the MatMul, than that of the constants */
#define STREAM 16             /* elements of the map, for each of the product */
#define SPEEDS_TYPE "(iiai)"

/* A device with what there is to do. */
typedef struct
{
  TpDevice *device;
  gboolean is_host;
  TpGraph *graph;             /* of the constants, with its keys */
  TpKeys *keys;
  TpChain *chain;
  TpLaunch *loads[2];         /* the MatMul and the map */
  TpBuf *buf;                 /* to copy to and from; NULL: host memory */
} Side;

typedef enum
{
  DO_KERNELS,
  DO_FEED,
  DO_FETCH,
} Kind;

/* An engine at work. */
typedef struct
{
  Side *side;
  Kind kind;
  char *bytes;
  gint *is_over;              /* atomic: of both */
  gint64 *begins, *ends;      /* of pieces, N_PIECES_MAX */
  gint n;                     /* of them; atomic */
  GError *error;
} Engine;

typedef struct
{
  TpChannel *channel;
  int first, second;          /* devices, for beats */
  Side sides[2];
  Engine engines[TP_SPEEDS_MAX_ENGINES];
} Pair;

/* ---- work ----------------------------------------------------------------- */

static gboolean
launch_both (const Side *side, GError **error)
{
  const TpDeviceOps *ops = side->device->ops;

  return ops->launch (side->device, side->loads[0], error)
         && ops->launch (side->device, side->loads[1], error)
         && ops->launch (side->device, NULL, error);
}

static gboolean
do_piece (Engine *engine, GError **error)
{
  const Side *side = engine->side;

  if (engine->kind == DO_KERNELS)
    return launch_both (side, error);
  return engine->kind == DO_FEED
             ? tp_device_write (side->device, side->buf, engine->bytes,
                                COPY_BYTES, error)
             : tp_device_read (side->device, side->buf, engine->bytes,
                               COPY_BYTES, error);
}

static gpointer
go_on (gpointer data)
{
  Engine *engine = data;

  while (!g_atomic_int_get (engine->is_over) && engine->n < N_PIECES_MAX)
    {
      engine->begins[engine->n] = tp_clock_get_ns ();
      if (!do_piece (engine, &engine->error))
        {
          g_atomic_int_set (engine->is_over, TRUE);
          break;
        }
      engine->ends[engine->n] = tp_clock_get_ns ();
      g_atomic_int_inc (&engine->n);
    }
  return NULL;
}

/* ---- times ---------------------------------------------------------------- */

/* Of the pieces of @engine from @since to @until; 0: there is none. */
static gint64
find_median (const Engine *engine, gint64 since, gint64 until)
{
  g_autofree gint64 *times = g_new (gint64, engine->n + 1);
  TpStats stats;
  int n = 0;

  for (int i = 0; i < engine->n; i++)
    if (engine->begins[i] >= since && engine->ends[i] <= until)
      times[n++] = MAX (engine->ends[i] - engine->begins[i], 1);
  if (n == 0)
    return 0;
  tp_stats_compute (times, n, &stats);
  return stats.median_ns;
}

static gboolean
has_enough (Engine *engine, gint64 time_ns)
{
  gint64 duration_ns = MIN (DURATION_NS,
                            1000 * tp_patience_get_most_us () / PARTS);
  int n = g_atomic_int_get (&engine->n);

  return n >= N_PIECES_MAX
         || (n >= N_PIECES + 1 && time_ns >= duration_ns)
         || time_ns >= PARTS * duration_ns;
}

/* Until all @n have done enough, or one has failed; the caller looks on. */
static gboolean
run_together (Pair *pair, Engine **engines, int n, GError **error)
{
  pthread_t threads[2];
  gint is_over = FALSE;
  gint64 begin = tp_clock_get_ns ();
  int n_begun = 0;

  for (; n_begun < n; n_begun++)
    {
      engines[n_begun]->is_over = &is_over;
      engines[n_begun]->n = 0;
      if (pthread_create (&threads[n_begun], NULL, go_on, engines[n_begun]) != 0)
        break;
    }
  while (n_begun == n && !g_atomic_int_get (&is_over))
    {
      gint64 time_ns = tp_clock_get_ns () - begin;

      tp_channel_beat (pair->channel, TP_PHASE_OPEN, pair->second, pair->first);
      if (tp_channel_must_stop (pair->channel)
          || (has_enough (engines[0], time_ns)
              && has_enough (engines[n - 1], time_ns)))
        break;
      g_usleep (1000);
    }
  g_atomic_int_set (&is_over, TRUE);
  for (int i = 0; i < n_begun; i++)
    pthread_join (threads[i], NULL);
  for (int i = 0; i < n_begun; i++)
    if (engines[i]->error != NULL)
      {
        g_propagate_error (error, g_steal_pointer (&engines[i]->error));
        return FALSE;
      }
  if (n_begun == n)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "a thread could not be started");
  return FALSE;
}

static gint64
get_first (const Engine *engine)
{
  return engine->n > 0 ? engine->begins[0] : G_MAXINT64;
}

static gint64
get_last (const Engine *engine)
{
  return engine->n > 0 ? engine->ends[engine->n - 1] : 0;
}

/* ---- processors that stay awake -------------------------------------------- */

/* One on each processor, behind all other work: without, an engine alone would find
 * them asleep whenever it hands over, and be slower than beside another. */
typedef struct
{
  pthread_t *threads;
  int n;
  gint is_over;               /* atomic */
} Wakers;

static gpointer
stay_awake (gpointer data)
{
  while (!g_atomic_int_get (&((Wakers *) data)->is_over))
    for (volatile int i = 0; i < 1000; i++)
      ;
  return NULL;
}

static gboolean
add_waker (Wakers *wakers, int processor)
{
  const struct sched_param none = { 0 };
  pthread_attr_t attributes;
  cpu_set_t own;
  int code;

  CPU_ZERO (&own);
  CPU_SET (processor, &own);
  pthread_attr_init (&attributes);
  pthread_attr_setaffinity_np (&attributes, sizeof own, &own);
  code = pthread_create (&wakers->threads[wakers->n], &attributes, stay_awake,
                         wakers);
  pthread_attr_destroy (&attributes);
  if (code != 0)
    return FALSE;
  wakers->n++;
  /* where that may not be had it would take from what is timed */
  return pthread_setschedparam (wakers->threads[wakers->n - 1], SCHED_IDLE,
                                &none) == 0;
}

static void
wakers_stop (Wakers *wakers)
{
  g_atomic_int_set (&wakers->is_over, TRUE);
  for (int i = 0; i < wakers->n; i++)
    pthread_join (wakers->threads[i], NULL);
  wakers->n = 0;
}

static void
wakers_start (Wakers *wakers)
{
  cpu_set_t allowed;

  wakers->threads = g_new (pthread_t, CPU_SETSIZE);
  if (sched_getaffinity (0, sizeof allowed, &allowed) != 0)
    return;
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (CPU_ISSET (i, &allowed) && !add_waker (wakers, i))
      {
        wakers_stop (wakers);
        return;
      }
}

static void
wakers_clear (Wakers *wakers)
{
  wakers_stop (wakers);
  g_free (wakers->threads);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Wakers, wakers_clear)

/* ---- two devices ---------------------------------------------------------- */

static gboolean
is_there (const Engine *engine)
{
  return engine->kind == DO_KERNELS || !engine->side->is_host;
}

static gboolean
time_alone (Pair *pair, gint64 *out_alone, GError **error)
{
  for (int e = 0; e < TP_SPEEDS_MAX_ENGINES; e++)
    {
      Engine *engine = &pair->engines[e];

      if (!is_there (engine))
        continue;
      if (!run_together (pair, &engine, 1, error))
        return FALSE;
      out_alone[e] = find_median (engine, 0, G_MAXINT64);
    }
  return TRUE;
}

static int
find_speed (gint64 alone_ns, gint64 beside_ns)
{
  if (alone_ns == 0 || beside_ns == 0)
    return TP_SPEED_ALONE;    /* nothing is known */
  return (int) CLAMP (alone_ns * TP_SPEED_ALONE / beside_ns, 1, TP_SPEED_ALONE);
}

/* Each two at once; what both are then, of what each is alone. */
static gboolean
time_round (Pair *pair, int *out_speeds, GError **error)
{
  gint64 alone[TP_SPEEDS_MAX_ENGINES] = { 0 };
  int n = TP_SPEEDS_MAX_ENGINES;

  if (!time_alone (pair, alone, error))
    return FALSE;
  for (int e = 0; e < n; e++)
    for (int k = 0; k < e; k++)
      {
        Engine *both[] = { &pair->engines[k], &pair->engines[e] };
        gint64 since, until;

        if (!is_there (both[0]) || !is_there (both[1]))
          continue;
        if (!run_together (pair, both, 2, error))
          return FALSE;
        since = MAX (get_first (both[0]), get_first (both[1]));
        until = MIN (get_last (both[0]), get_last (both[1]));
        out_speeds[k * n + e]
            = find_speed (alone[k], find_median (both[0], since, until));
        out_speeds[e * n + k]
            = find_speed (alone[e], find_median (both[1], since, until));
      }
  return TRUE;
}

static int
find_middle (const int (*rounds)[TP_SPEEDS_N], int index)
{
  gint64 values[N_ROUNDS];
  TpStats stats;

  for (int i = 0; i < N_ROUNDS; i++)
    values[i] = rounds[i][index];
  tp_stats_compute (values, N_ROUNDS, &stats);
  return (int) stats.median_ns;
}

/* FALSE without @error: it was told to stop. */
static gboolean
time_pair (Pair *pair, int *out_speeds, GError **error)
{
  int rounds[N_ROUNDS][TP_SPEEDS_N];
  g_auto (Wakers) wakers = { NULL };

  wakers_start (&wakers);
  for (int i = 0; i < N_ROUNDS; i++)
    {
      for (int k = 0; k < TP_SPEEDS_N; k++)
        rounds[i][k] = TP_SPEED_ALONE;
      if (!time_round (pair, rounds[i], error)
          || tp_channel_must_stop (pair->channel))
        return FALSE;
    }
  for (int k = 0; k < TP_SPEEDS_N; k++)
    out_speeds[k] = find_middle (rounds, k);
  return TRUE;
}

/* ---- making ready --------------------------------------------------------- */

static TpLaunch *
find_load (const Side *side, const char *name)
{
  for (int i = 0; i < side->chain->n_links; i++)
    if (g_str_equal (side->graph->nodes[side->chain->links[i].key].name, name))
      return side->chain->links[i].launch;
  return NULL;
}

/* All that a device's constants are told by, run once. */
static gboolean
add_chain (Side *side, int n_threads, GError **error)
{
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  TpArray *const passes[TP_N_PASSES] = { links };
  const TpChainWanted wanted = { .keys = side->keys, .passes = passes };
  const int *all;

  for (int i = 0; i < side->keys->n; i++)
    tp_array_append_val (links, i);
  all = &tp_array_index (links, int, 0);
  side->chain = tp_chain_new (side->device, side->graph, &wanted, error);
  if (side->chain == NULL)
    return FALSE;
  side->chain->n_threads = n_threads;
  if (!tp_chain_compile (side->chain, all, side->keys->n, error)
      || !tp_chain_run (side->chain, all, side->keys->n, error))
    return FALSE;
  side->loads[0] = find_load (side, "peak");
  side->loads[1] = find_load (side, "stream");
  return TRUE;
}

static gboolean
fill_side (Side *side, const TpDeviceInfo *info, int n_threads, GError **error)
{
  TpConstantsSizes sizes = tp_constants_choose_sizes (info);

  sizes.n_side /= SMALLER;
  sizes.n_stream = STREAM * sizes.n_side * sizes.n_side;
  side->is_host = info->is_host;
  side->graph = tp_constants_build_graph (&sizes, error);
  if (side->graph == NULL)
    return FALSE;
  side->keys = tp_keys_new (side->graph, NULL, TRUE);
  if (!add_chain (side, n_threads, error))
    return FALSE;
  if (side->is_host)
    return TRUE;
  side->buf = side->device->ops->alloc (side->device, NULL, 0, COPY_BYTES,
                                        error);
  return side->buf != NULL;
}

static gboolean
open_side (Side *side, const char *name, int n_threads, GError **error)
{
  const TpDeviceOptions options = { .n_threads = n_threads, .is_shared = TRUE };
  TpDeviceInfo info;
  gboolean is_good;

  side->device = tp_device_open (name, &options, error);
  if (side->device == NULL)
    return FALSE;
  side->device->ops->describe (side->device, &info);
  is_good = fill_side (side, &info, tp_threads_count (n_threads), error);
  tp_device_info_clear (&info);
  return is_good;
}

static void
close_side (Side *side)
{
  if (side->buf != NULL)
    side->device->ops->free_buf (side->device, side->buf);
  g_clear_pointer (&side->chain, tp_chain_free);
  g_clear_pointer (&side->keys, tp_keys_free);
  g_clear_pointer (&side->graph, tp_graph_unref);
  g_clear_pointer (&side->device, tp_device_close);
}

static void
pair_init (Pair *pair)
{
  for (int e = 0; e < TP_SPEEDS_MAX_ENGINES; e++)
    {
      Engine *it = &pair->engines[e];

      it->side = &pair->sides[e % 2];
      it->kind = (Kind) (e / 2);
      it->bytes = g_malloc0 (COPY_BYTES);
      it->begins = g_new0 (gint64, N_PIECES_MAX);
      it->ends = g_new0 (gint64, N_PIECES_MAX);
    }
}

static void
pair_clear (Pair *pair)
{
  for (int e = 0; e < TP_SPEEDS_MAX_ENGINES; e++)
    {
      g_clear_error (&pair->engines[e].error);
      g_free (pair->engines[e].bytes);
      g_free (pair->engines[e].begins);
      g_free (pair->engines[e].ends);
    }
  close_side (&pair->sides[1]);
  close_side (&pair->sides[0]);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

/* ---- all that are wanted --------------------------------------------------- */

static void
send_speeds (TpChannel *channel, int first, int second, const int *speeds)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("ai"));
  for (int i = 0; i < TP_SPEEDS_N; i++)
    g_variant_builder_add (&builder, "i", speeds[i]);
  tp_channel_send (channel, TP_MESSAGE_SPEEDS,
                   g_variant_new ("(ii@ai)", first, second,
                                  g_variant_builder_end (&builder)));
}

static gboolean
do_pair (TpChannel *channel, const TpInterferenceJob *job, int first,
         int second, GError **error)
{
  g_auto (Pair) pair = { .channel = channel, .first = first, .second = second };
  const int devices[] = { first, second };
  int speeds[TP_SPEEDS_N];
  GError *failure = NULL;

  pair_init (&pair);
  for (int i = 0; i < 2; i++)
    {
      tp_channel_beat (channel, TP_PHASE_OPEN, second, first);
      if (!open_side (&pair.sides[i], job->devices[devices[i]], job->n_threads,
                      error))
        return FALSE;
    }
  if (time_pair (&pair, speeds, &failure))
    send_speeds (channel, first, second, speeds);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

void
tp_interference_work (TpChannel *channel, gpointer data)
{
  const TpInterferenceJob *job = data;

  for (int i = 0; i < job->n_devices; i++)
    for (int k = 0; k < i && !tp_channel_must_stop (channel); k++)
      {
        g_autofree char *what = g_strdup_printf ("%s beside %s",
                                                 job->devices[i],
                                                 job->devices[k]);
        g_autoptr (GError) error = NULL;

        if (!job->is_wanted[i * job->n_devices + k])
          continue;
        tp_channel_send (channel, TP_MESSAGE_PROGRESS,
                         g_variant_new ("(is)", 0, what));
        if (!do_pair (channel, job, k, i, &error))
          tp_channel_send (channel, TP_MESSAGE_WARN,
                           g_variant_new ("(is)", i, error->message));
        tp_channel_send (channel, TP_MESSAGE_PROGRESS,
                         g_variant_new ("(is)", 1, what));
      }
}

gboolean
tp_interference_read (GVariant *payload, int *out_first, int *out_second,
                      int *out_speeds)
{
  g_autoptr (GVariant) list = NULL;
  const gint32 *values;
  gsize n;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE (SPEEDS_TYPE)))
    return FALSE;
  g_variant_get (payload, "(ii@ai)", out_first, out_second, &list);
  values = g_variant_get_fixed_array (list, &n, sizeof *values);
  for (gsize i = 0; i < n && n == TP_SPEEDS_N; i++)
    {
      if (values[i] < 1 || values[i] > TP_SPEED_ALONE)
        return FALSE;
      out_speeds[i] = values[i];
    }
  return n == TP_SPEEDS_N;
}
