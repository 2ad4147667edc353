/* samples.c: see samples.h.
 *
 * The system counts how often a thread had to give up its processor. A thread
 * that is away from before the first reading until after the last is not seen
 * so; but the process then has less processor time than wall time on all its
 * processors, and less than at another time with the same kernel.
 *
 * A virtual machine's processors are moved about by its host: for seconds they
 * share a cache, then they do not, and what one writes and another reads takes
 * several times as long. Neither counters nor clocks show that; handing a cache
 * line over does. What nothing shows, such as memory that others use, is left to
 * the estimate. */
#include "config.h"

#include "calib/samples.h"

#include "ir/clock.h"

#include <sys/resource.h>
#include <time.h>

#define SHORT_NS 5000         /* the readings take a tenth of this */
#define SHARE 0.85            /* of the best share of the processors */
#define BUSY 0.5              /* processors; less is a thread that waits */
#define ENOUGH 6
#define APART 1.6             /* times the least hand-over; seen: 3 to 4 */

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
}

static double
get_share (const TpSample *sample)
{
  return sample->time_ns < SHORT_NS
             ? 0 : (double) sample->cpu_ns / sample->time_ns;
}

gboolean
tp_samples_are_apart (gint64 handover_ns, gint64 least_ns)
{
  return least_ns > 0 && handover_ns > APART * least_ns;
}

gint64
tp_samples_find_handover (const TpSample *samples, int n, gint64 least_ns)
{
  g_autofree gint64 *known = g_new (gint64, n);
  int n_known = 0, n_near = 0;
  TpStats stats;

  for (int i = 0; i < n; i++)
    if (samples[i].handover_ns > 0)
      {
        known[n_known++] = samples[i].handover_ns;
        n_near += !tp_samples_are_apart (samples[i].handover_ns, least_ns);
      }
  if (n_known == 0)
    return 0;
  tp_stats_compute (known, n_known, &stats);
  return n_near >= ENOUGH ? stats.min_ns : stats.median_ns;
}

void
tp_samples_find_disturbed (const TpSample *samples, int n,
                           gint64 least_handover_ns,
                           gboolean *out_is_disturbed)
{
  double best = 0;

  for (int i = 0; i < n; i++)
    best = MAX (best, get_share (&samples[i]));
  if (best < BUSY)
    best = 0; /* the work is done elsewhere */
  for (int i = 0; i < n; i++)
    out_is_disturbed[i] = samples[i].n_preempted > 0
                          || tp_samples_are_apart (samples[i].handover_ns,
                                                   least_handover_ns)
                          || (samples[i].time_ns >= SHORT_NS
                              && get_share (&samples[i]) < SHARE * best);
}

int
tp_samples_compute (const TpSample *samples, int n, gint64 least_handover_ns,
                    TpStats *out_stats)
{
  g_autofree gboolean *is_disturbed = g_new (gboolean, n);
  g_autofree gint64 *times_ns = g_new (gint64, n);
  int n_clean = 0;

  tp_samples_find_disturbed (samples, n, least_handover_ns, is_disturbed);
  for (int i = 0; i < n; i++)
    if (!is_disturbed[i])
      times_ns[n_clean++] = samples[i].time_ns;
  if (n_clean >= ENOUGH)
    {
      tp_stats_compute_fast (times_ns, n_clean, out_stats);
      return n - n_clean;
    }
  for (int i = 0; i < n; i++)
    times_ns[i] = samples[i].time_ns;
  tp_stats_compute_fast (times_ns, n, out_stats);
  if (n >= ENOUGH && n_clean == 0) /* nothing vouches for any */
    out_stats->half_ns = MAX (out_stats->half_ns, out_stats->median_ns / 4);
  return n - n_clean;
}
