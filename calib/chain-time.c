/* chain-time.c: kernels timed where they will run: behind their producer and before
 * their consumer, with the weights of the rest of the network having passed
 * through the caches in between.
 *
 * A kernel timed alone finds its weights in the cache, and predicts a network
 * too fast; timed with all caches emptied, too slow. Neither state has to be
 * made up when the whole network runs. */
#include "config.h"

#include "calib/chain-time.h"

#include "calib/burst.h"
#include "calib/plausible.h"
#include "calib/pressure.h"
#include "calib/probe.h"
#include "calib/seat.h"
#include "calib/stamped.h"
#include "ir/clock.h"

#include <math.h>

#define LOOK_NS 300000        /* others stay longer; a look takes 20 us */
#define N_LOOKS 32            /* in a row, for a moment without them */
#define CALM_NS 5000000       /* as often as this the system itself interrupts */
#define GOLDEN 0.6180339887   /* its multiples lie evenly, whatever their number */

/* ---- on the host -------------------------------------------------------- */

/* Others come and go by the millisecond. Returns what is there now, and says so in
 * the samples of @links that were taken since it was asked last: theirs is the
 * worse of both. */
static gint64
look_back (TpChain *chain, const int *links, int n_links, gint64 before,
           TpSample *samples)
{
  gint64 now = tp_probe_contention (chain->n_threads);

  for (int i = 0; i < n_links; i++)
    samples[links[i]].processors.contention = MAX (before, now);
  return now;
}

/* The next of @links that is there; @n_links: none. */
static int
find_next (const TpChain *chain, const int *links, int n_links, int i)
{
  while (i < n_links && chain->links[links[i]].launch == NULL)
    i++;
  return i;
}

/* To look, and to ask the system what disturbed kernels, drives what the next is
 * about to use from the nearest caches, and adds 0.3 to 0.6 us to it: those between two
 * looks are asked about together, and looks are in other places in each round. */
static gint64
get_first_look (TpChain *chain)
{
  double part = fmod (GOLDEN * chain->n_rounds++, 1);

  return tp_clock_get_ns () - (gint64) (part * LOOK_NS);
}

/* Where the pool is not whole nothing of what follows counts, though each kernel
 * may look alike in all rounds. Inputs are written right before, as in a session. */
static gboolean
time_on_host (TpChain *chain, const int *links, int n_links,
              TpSample *out_samples, GError **error)
{
  gboolean is_whole
      = chain->runs_nodes || tp_probe_is_pool_whole (chain->n_threads);
  gint64 contention = chain->processors.contention;
  gint64 looked_ns;
  int n_looked = 0;
  TpSample begin;

  tp_sample_begin (&begin);
  if (!tp_chain_feed (chain, chain->links[*links].pass, error))
    return FALSE;
  looked_ns = get_first_look (chain);
  for (int i = find_next (chain, links, n_links, 0); i < n_links;
       i = find_next (chain, links, n_links, i + 1))
    {
      TpSample *sample = &out_samples[links[i]];

      tp_sample_begin_next (&begin);
      if (!chain->device->ops->launch (chain->device,
                                       chain->links[links[i]].launch, error))
        return FALSE;
      tp_sample_end_next (&begin, sample);
      sample->n_preempted = !is_whole;
      sample->processors = chain->processors;
      if (chain->beat != NULL)
        g_atomic_int_inc (chain->beat);
      if (begin.time_ns + sample->time_ns - looked_ns < LOOK_NS)
        continue;
      tp_sample_count (&begin, links + n_looked, i + 1 - n_looked, out_samples);
      contention = look_back (chain, links + n_looked, i + 1 - n_looked,
                              contention, out_samples);
      n_looked = i + 1;
      tp_sample_begin (&begin);
      looked_ns = begin.time_ns;
    }
  tp_sample_count (&begin, links + n_looked, n_links - n_looked, out_samples);
  look_back (chain, links + n_looked, n_links - n_looked, contention,
             out_samples);
  return chain->device->ops->launch (chain->device, NULL, error);
}

/* ---- by queues ---------------------------------------------------------- */

static guint
count_launches (const TpChain *chain, const int *links, int n_links)
{
  guint n = 0;

  for (int i = 0; i < n_links; i++)
    n += chain->links[links[i]].launch != NULL;
  return n;
}

static gboolean
queue_all (TpChain *chain, const int *links, int n_links, GError **error)
{
  const TpDeviceOps *ops = chain->device->ops;

  for (int i = 0; i < n_links; i++)
    if (chain->links[links[i]].launch != NULL
        && !ops->launch (chain->device, chain->links[links[i]].launch, error))
      return FALSE;
  return TRUE;
}

/* All queued, one wait. @out_round: of all of it. */
static gboolean
launch_all (TpChain *chain, const int *links, int n_links,
            TpSample *out_round, GError **error)
{
  TpSample begin;

  tp_sample_begin (&begin);
  if (!queue_all (chain, links, n_links, error)
      || !chain->device->ops->launch (chain->device, NULL, error))
    return FALSE;
  tp_sample_end (&begin, out_round);
  return TRUE;
}

static gboolean
launch_stamped (TpChain *chain, const int *links, int n_links, GArray *stamps,
                GError **error)
{
  TpSample round;
  gboolean is_good;

  chain->device->stamps = stamps;
  is_good = launch_all (chain, links, n_links, &round, error);
  chain->device->stamps = NULL;
  if (is_good
      && !tp_plausible_stamps ((const TpStamp *) (void *) stamps->data,
                               stamps->len, round.time_ns))
    g_array_set_size (stamps, 0);
  return is_good;
}

/* A queue's kernels by both clocks. */
typedef struct
{
  GArray *stamps;             /* TpStamp */
  gint64 whole_ns;            /* without stamps, by the caller's clock */
  TpSample round;             /* of that, the wait and one kernel included */
} Timed;

/* All is run once more as a session would, and the first again after it: that
 * alone takes as long to wait for. */
static gboolean
time_whole (TpChain *chain, const int *links, int n_links, Timed *timed,
            GError **error)
{
  TpLaunch *first
      = chain->links[links[find_next (chain, links, n_links, 0)]].launch;
  gint64 once_ns;
  TpSample begin;

  if (!tp_burst_time (chain->device, first, 1, &once_ns, error))
    return FALSE;
  tp_sample_begin (&begin);
  if (!queue_all (chain, links, n_links, error)
      || !chain->device->ops->launch (chain->device, first, error)
      || !chain->device->ops->launch (chain->device, NULL, error))
    return FALSE;
  tp_sample_end (&begin, &timed->round);
  timed->whole_ns = MAX (timed->round.time_ns - once_ns, 1);
  return TRUE;
}

/* They share what disturbed that run. */
static void
take_timed (TpChain *chain, const int *links, int n_links, const Timed *timed,
            TpSample *out_samples)
{
  const TpSample *round = &timed->round;
  g_autofree gint64 *times = g_new (gint64, timed->stamps->len);
  gint64 *its = times;

  chain->scale = tp_stamped_spread (
      (const TpStamp *) (void *) timed->stamps->data, (int) timed->stamps->len,
      timed->whole_ns, times);
  for (int i = find_next (chain, links, n_links, 0); i < n_links;
       i = find_next (chain, links, n_links, i + 1))
    {
      TpSample *sample = &out_samples[links[i]];

      *sample = (TpSample){ .time_ns = *its++ };
      sample->n_preempted
          = !chain->takes_all
            && round->n_preempted > 1 + round->time_ns / CALM_NS;
      if (chain->is_apart)
        continue;
      sample->cpu_ns = (gint64) ((double) round->cpu_ns / round->time_ns
                                 * sample->time_ns);
      sample->processors = chain->processors;
    }
}

static gboolean
time_in_bursts (TpChain *chain, const int *links, int n_links,
                TpSample *out_samples, GError **error)
{
  for (int i = find_next (chain, links, n_links, 0); i < n_links;
       i = find_next (chain, links, n_links, i + 1))
    {
      TpSample *sample = &out_samples[links[i]];

      if (!tp_burst_measure (chain->device, chain->links[links[i]].launch,
                             sample, error))
        return FALSE;
      if (!chain->is_apart)
        sample->processors = chain->processors;
    }
  return TRUE;
}

/* ---- either ------------------------------------------------------------- */

/* Waits a little for others to leave: they come and go by the millisecond. */
static void
look (TpChain *chain)
{
  TpProcessors *now = &chain->processors;

  tp_probe_processors (chain->n_threads, now);
  chain->found = *now;
  for (int i = 0; i < N_LOOKS && tp_samples_are_contended (now, &chain->least);
       i++)
    now->contention = tp_probe_contention (chain->n_threads);
}

static gboolean
time_pass (TpChain *chain, const int *links, int n_links,
           TpSample *out_samples, GError **error)
{
  g_autoptr (GArray) stamps = g_array_new (FALSE, TRUE, sizeof (TpStamp));
  Timed timed = { .stamps = stamps };
  TpSeat seat;
  gboolean is_good = TRUE;

  chain->scale = 1;
  if (n_links == 0)
    return TRUE;
  tp_seat_take (&seat);
  if (!chain->is_apart)
    look (chain);
  if (chain->is_host)
    is_good = time_on_host (chain, links, n_links, out_samples, error);
  tp_seat_leave (&seat);
  if (chain->is_host)
    return is_good;
  if (!tp_chain_feed (chain, chain->links[links[0]].pass, error)
      || !launch_stamped (chain, links, n_links, stamps, error))
    return FALSE;
  if (stamps->len == 0 || stamps->len != count_launches (chain, links, n_links))
    return time_in_bursts (chain, links, n_links, out_samples, error);
  if (!time_whole (chain, links, n_links, &timed, error))
    return FALSE;
  take_timed (chain, links, n_links, &timed, out_samples);
  return TRUE;
}

/* Where memory was short nobody tells which of the pass it was: all may be. */
gboolean
tp_chain_time (TpChain *chain, const int *links, int n_links,
               TpSample *out_samples, GError **error)
{
  TpPressure begin, end;
  gint64 begin_us;

  tp_pressure_read_memory (&begin);
  begin_us = g_get_monotonic_time ();
  if (!time_pass (chain, links, n_links, out_samples, error))
    return FALSE;
  tp_pressure_read_memory (&end);
  if (tp_pressure_was_short (&begin, &end, g_get_monotonic_time () - begin_us))
    for (int i = 0; i < n_links; i++)
      out_samples[links[i]].is_starved = TRUE;
  return TRUE;
}

gboolean
tp_chain_run (TpChain *chain, const int *links, int n_links, GError **error)
{
  TpSample round;
  TpSeat seat;
  gboolean is_good;

  if (n_links == 0)
    return TRUE;
  if (!tp_chain_feed (chain, chain->links[links[0]].pass, error))
    return FALSE;
  if (!chain->is_host)
    return launch_all (chain, links, n_links, &round, error);
  tp_seat_take (&seat);
  is_good = launch_all (chain, links, n_links, &round, error);
  tp_seat_leave (&seat);
  return is_good;
}
