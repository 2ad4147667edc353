/* workload.c: see workload.h. */
#include "config.h"

#include "calib/workload.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#define ALONE 0.03            /* of the time, by others */
#define TICKS_US 20000        /* booked to the wrong process at either end */
#define SHORT_US (5 * TICKS_US)

static gint64
get_cpu_us (int who)
{
  struct rusage usage;

  getrusage (who, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * G_USEC_PER_SEC
         + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

/* The first line of /proc/stat, in ticks: user, nice, system, idle, iowait,
 * irq, softirq, steal. */
void
tp_workload_read (TpWorkload *out_now)
{
  g_autofree char *text = NULL;
  long long ticks[8];
  gint64 tick_us = G_USEC_PER_SEC / MAX (sysconf (_SC_CLK_TCK), 1);

  out_now->wall_us = g_get_monotonic_time ();
  out_now->own_us = get_cpu_us (RUSAGE_SELF) + get_cpu_us (RUSAGE_CHILDREN);
  out_now->busy_us = -1;
  out_now->stolen_us = 0;
  tp_pressure_read (&out_now->pressure);
  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL)
      || sscanf (text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &ticks[0],
                 &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
                 &ticks[6], &ticks[7]) != 8)
    return;
  out_now->busy_us = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6])
                     * tick_us;
  out_now->stolen_us = ticks[7] * tick_us;
}

gint64
tp_workload_get_others_us (const TpWorkload *begin, const TpWorkload *end)
{
  if (begin->busy_us < 0 || end->busy_us < 0)
    return -1;
  return MAX (0, end->busy_us - begin->busy_us
                     - (end->own_us - begin->own_us));
}

gboolean
tp_workload_was_alone (const TpWorkload *begin, const TpWorkload *end)
{
  gint64 wall_us = end->wall_us - begin->wall_us;
  gint64 others_us = tp_workload_get_others_us (begin, end);
  gint64 limit_us = (gint64) (ALONE * (double) wall_us) + TICKS_US;

  return wall_us >= SHORT_US && others_us >= 0 && others_us <= limit_us
         && end->stolen_us - begin->stolen_us <= limit_us;
}
