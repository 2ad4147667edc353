/* burst.c: see burst.h. */
#include "config.h"

#include "calib/burst.h"

#include "ir/clock.h"

#define BURST_NS 200000

gboolean
tp_burst_time (TpDevice *device, TpLaunch *launch, int n, gint64 *out_ns,
               GError **error)
{
  gint64 before = tp_clock_get_ns ();

  for (int i = 0; i < n; i++)
    if (!device->ops->launch (device, launch, error))
      return FALSE;
  if (!device->ops->launch (device, NULL, error))
    return FALSE;
  *out_ns = tp_clock_get_ns () - before;
  return TRUE;
}

gboolean
tp_burst_measure (TpDevice *device, TpLaunch *launch, TpSample *out_sample,
                  GError **error)
{
  gint64 once_ns, all_ns;
  TpSample begin;
  int n;

  tp_sample_begin (&begin);
  if (!tp_burst_time (device, launch, 1, &once_ns, error))
    return FALSE;
  n = (int) CLAMP (BURST_NS / MAX (once_ns, 1), 2, 50);
  if (!tp_burst_time (device, launch, 1 + n, &all_ns, error))
    return FALSE;
  tp_sample_end (&begin, out_sample);
  out_sample->time_ns = MAX ((all_ns - once_ns) / n, 1);
  out_sample->cpu_ns = 0;     /* of both */
  return TRUE;
}
