/* account.c: how good a calibration is, and what company it had. */
#include "config.h"

#include "calib/account.h"

#include "calib/columns.h"
#include "ir/map.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- company ------------------------------------------------------------ */

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
  if (!g_file_get_contents ("/proc/stat", &text, NULL, NULL)
      || sscanf (text, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &ticks[0],
                 &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
                 &ticks[6], &ticks[7]) != 8)
    return;
  out_now->busy_us = (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6])
                     * tick_us;
  out_now->stolen_us = ticks[7] * tick_us;
}

void
tp_account_add_load (TpCalibReport *report, const TpWorkload *begin)
{
  TpWorkload now;

  tp_workload_read (&now);
  if (begin->busy_us < 0 || now.busy_us < 0)
    return;
  report->wall_us += now.wall_us - begin->wall_us;
  report->others_us += MAX (0, now.busy_us - begin->busy_us
                                   - (now.own_us - begin->own_us));
  report->stolen_us += now.stolen_us - begin->stolen_us;
}

/* ---- kernels ------------------------------------------------------------ */

static void
count_entry (TpCalibReport *report, const TpEntryRow *row)
{
  if (row->state == TP_ENTRY_FAILED)
    {
      report->n_failed++;
      return;
    }
  report->n_settled += row->state == TP_ENTRY_SETTLED;
  report->n_unsettled += row->state == TP_ENTRY_PROVISIONAL;
  report->time_ns += row->stats.median_ns;
  report->half_ns += row->stats.half_ns;
}

static gboolean
count_device (TpCalibration *self, int device, GError **error)
{
  g_autoptr (TpMap) seen = tp_map_new (g_str_hash, g_str_equal, NULL, NULL);

  for (int i = 0; i < self->keys->n; i++)
    {
      const TpKey *key = &self->keys->keys[i];
      g_autoptr (TpEntryRow) row = NULL;
      GError *failure = NULL;

      if (key->digest == NULL || !tp_map_insert (seen, key->digest, NULL))
        continue;
      row = tp_device_match_find_entry (&self->matches[device], key->digest,
                                        key->dtype, &failure);
      if (failure != NULL)
        {
          g_propagate_error (error, failure);
          return FALSE;
        }
      if (row != NULL)
        count_entry (&self->report, row);
    }
  return TRUE;
}

gboolean
tp_account_count (TpCalibration *self, GError **error)
{
  for (guint i = 0; i < self->devices->len; i++)
    if (!count_device (self, i, error))
      return FALSE;
  return TRUE;
}
