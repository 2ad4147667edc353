/* samples.c: see samples.h.
 *
 * The system counts how often a thread had to give up its processor. A thread
 * that is away from before the first reading until after the last is not seen
 * so; but the process then has less processor time than wall time on all its
 * processors, and less than at another time with the same kernel.
 *
 * A virtual machine's processors are moved about by its host: for seconds they
 * share a cache, then they do not, and what one writes and another reads takes
 * several times as long; or they are the two threads of one core, and all takes
 * twice as long; or the other thread of a core is somebody else's, who computes on
 * it for a millisecond at a time, and what computes takes up to half as long again.
 * Neither counters nor clocks show that; handing a cache line over does, and work
 * that fills the units of a core. That memory is short, so
 * that pages are written out and read again, the system counts. What nothing shows, such
 * as how much of the memory's bandwidth others use, is left to the estimate. */
#include "config.h"

#include "calib/samples.h"

#include "ir/clock.h"
#include "ir/compare.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define SHORT_NS 5000         /* the readings take a tenth of this */
#define LONG_NS 100000000     /* ten ticks, where they are rare */
#define SHARE 0.85            /* of the best share of the processors */
#define BUSY 0.5              /* processors; less is a thread that waits */
#define ONE 1.05              /* likewise; more is several threads */
#define ENOUGH 6
#define APART 1.6             /* times the least hand-over; seen: 3 to 4 */
#define CROWDED 1.25          /* times the least crowding; seen: 1.8 */
#define CONTENDED 1.08        /* times the least contention; alone within 0.02,
                               * else from 1.1 */

static void
read_counters (TpSample *out_now)
{
  struct rusage usage;
  struct timespec cpu;

  getrusage (RUSAGE_SELF, &usage);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &cpu);
  out_now->n_preempted = (int) usage.ru_nivcsw;
  out_now->cpu_ns = cpu.tv_sec * G_GINT64_CONSTANT (1000000000) + cpu.tv_nsec;
}

void
tp_sample_begin (TpSample *out_begin)
{
  read_counters (out_begin);
  out_begin->time_ns = tp_clock_get_ns ();
}

void
tp_sample_end (const TpSample *begin, TpSample *out_sample)
{
  out_sample->time_ns = MAX (1, tp_clock_get_ns () - begin->time_ns);
  read_counters (out_sample);
  out_sample->cpu_ns -= begin->cpu_ns;
  out_sample->n_preempted -= begin->n_preempted;
  out_sample->is_starved = FALSE; /* who looks at that says so */
}

void
tp_sample_begin_next (TpSample *begin)
{
  begin->time_ns = tp_clock_get_ns ();
}

void
tp_sample_end_next (const TpSample *begin, TpSample *out_sample)
{
  *out_sample = (TpSample){ .time_ns = tp_clock_get_ns () - begin->time_ns };
  out_sample->time_ns = MAX (1, out_sample->time_ns);
}

void
tp_sample_count (TpSample *begin, const int *which, int n, TpSample *samples)
{
  TpSample now;
  int n_there = 0;

  tp_sample_begin (&now);
  for (int i = 0; i < n; i++)
    n_there += samples[which[i]].time_ns > 0;
  for (int i = 0; i < n; i++)
    {
      TpSample *sample = &samples[which[i]];

      sample->n_preempted += now.n_preempted - begin->n_preempted;
      sample->cpu_ns = n_there == 1 ? now.cpu_ns - begin->cpu_ns : 0;
    }
  *begin = now;
}

static double
get_share (const TpSample *sample)
{
  return sample->time_ns < SHORT_NS
             ? 0 : (double) sample->cpu_ns / sample->time_ns;
}

gboolean
tp_samples_are_apart (const TpProcessors *processors, const TpProcessors *least)
{
  return (least->handover_ns > 0
          && processors->handover_ns > APART * least->handover_ns)
         || (least->crowding > 0
             && processors->crowding > CROWDED * least->crowding);
}

gboolean
tp_samples_are_contended (const TpProcessors *processors,
                          const TpProcessors *least)
{
  return least->contention > 0
         && processors->contention > CONTENDED * least->contention;
}

gint64
tp_sample_get_told_ns (const TpSample *sample, const TpProcessors *least)
{
  gint64 fma_ns = sample->processors.fma_ns;

  if (fma_ns <= 0 || least->fma_ns <= 0)
    return sample->time_ns;
  return MAX (1, llround ((double) sample->time_ns * (double) least->fma_ns
                          / (double) fma_ns));
}

static gint64
find_less (gint64 least, gint64 value)
{
  return least == 0 || (value > 0 && value < least) ? value : least;
}

void
tp_samples_note_least (TpProcessors *least, const TpProcessors *processors)
{
  least->handover_ns = find_less (least->handover_ns, processors->handover_ns);
  least->crowding = find_less (least->crowding, processors->crowding);
  least->contention = find_less (least->contention, processors->contention);
  if (least->fma_ns == 0)
    least->fma_ns = processors->fma_ns; /* any will do */
}

/* The median of what is above 0, of one of the three, among the samples chosen
 * where these are enough, else among all; 0: there is none. Not the least: that may
 * be luck, of a ratio of two short times above all. */
static gint64
find_usual (const TpSample *samples, int n, const gboolean *is_chosen,
            gsize offset)
{
  g_autofree gint64 *chosen = g_new (gint64, n), *all = g_new (gint64, n);
  int n_chosen = 0, n_all = 0;
  TpStats stats;

  for (int i = 0; i < n; i++)
    {
      gint64 value
          = G_STRUCT_MEMBER (gint64, &samples[i].processors, offset);

      if (value > 0)
        all[n_all++] = value;
      if (value > 0 && is_chosen[i])
        chosen[n_chosen++] = value;
    }
  if (n_all == 0)
    return 0;
  if (n_chosen >= ENOUGH)
    tp_stats_compute (chosen, n_chosen, &stats);
  else
    tp_stats_compute (all, n_all, &stats);
  return stats.median_ns;
}

void
tp_samples_find_processors (const TpSample *samples, int n,
                            const TpProcessors *least,
                            TpProcessors *out_processors)
{
  g_autofree gboolean *is_near = g_new (gboolean, n);
  g_autofree gboolean *is_alone = g_new (gboolean, n);

  for (int i = 0; i < n; i++)
    {
      is_near[i] = !tp_samples_are_apart (&samples[i].processors, least);
      is_alone[i] = !tp_samples_are_contended (&samples[i].processors, least);
    }
  *out_processors = (TpProcessors){
    find_usual (samples, n, is_near,
                G_STRUCT_OFFSET (TpProcessors, handover_ns)),
    find_usual (samples, n, is_near, G_STRUCT_OFFSET (TpProcessors, crowding)),
    find_usual (samples, n, is_alone,
                G_STRUCT_OFFSET (TpProcessors, contention)),
    find_usual (samples, n, is_alone, G_STRUCT_OFFSET (TpProcessors, fma_ns)),
  };
}

/* What a tenth of them reach, two at least. */
static double
find_best_share (const TpSample *samples, int n)
{
  g_autofree double *shares = g_new (double, n + 1);

  for (int i = 0; i < n; i++)
    shares[i] = get_share (&samples[i]);
  qsort (shares, n, sizeof *shares, tp_compare_double);
  return n > 0 ? shares[n - MIN (MAX (n / 10, 2), n)] : 0;
}

/* The time of other threads than the caller is booked by ticks, some milliseconds
 * apart: of shorter samples some have nothing of it, and others that of many. */
static gboolean
has_little_share (const TpSample *sample, double best)
{
  return sample->time_ns >= (best > ONE ? LONG_NS : SHORT_NS)
         && sample->cpu_ns > 0 && get_share (sample) < SHARE * best;
}

void
tp_samples_find_disturbed (const TpSample *samples, int n,
                           const TpProcessors *least,
                           gboolean *out_is_disturbed)
{
  double best = find_best_share (samples, n);

  if (best < BUSY)
    best = 0; /* the work is done elsewhere */
  for (int i = 0; i < n; i++)
    out_is_disturbed[i] = samples[i].n_preempted > 0 || samples[i].is_starved
                          || tp_samples_are_apart (&samples[i].processors,
                                                   least)
                          || tp_samples_are_contended (&samples[i].processors,
                                                       least)
                          || has_little_share (&samples[i], best);
}

int
tp_samples_compute (const TpSample *samples, int n,
                    const TpProcessors *least, TpStats *out_stats)
{
  g_autofree gboolean *is_disturbed = g_new (gboolean, n);
  g_autofree gint64 *times_ns = g_new (gint64, n);
  int n_clean = 0;

  tp_samples_find_disturbed (samples, n, least, is_disturbed);
  for (int i = 0; i < n; i++)
    if (!is_disturbed[i])
      times_ns[n_clean++] = tp_sample_get_told_ns (&samples[i], least);
  if (n_clean >= ENOUGH)
    {
      tp_stats_compute_fast (times_ns, n_clean, out_stats);
      return n - n_clean;
    }
  for (int i = 0; i < n; i++)
    times_ns[i] = tp_sample_get_told_ns (&samples[i], least);
  tp_stats_compute_fast (times_ns, n, out_stats);
  if (n >= ENOUGH && n_clean == 0) /* nothing vouches for any */
    out_stats->half_ns = MAX (out_stats->half_ns, out_stats->median_ns / 4);
  return n - n_clean;
}
