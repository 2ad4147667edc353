/* workload.h: what processors work, for this process and for others. */
#ifndef TP_CALIB_WORKLOAD_H
#define TP_CALIB_WORKLOAD_H

#include "calib/pressure.h"

/* What all processors and this process with its children have worked. */
typedef struct
{
  gint64 wall_us, busy_us, stolen_us, own_us;
  TpPressure pressure;
} TpWorkload;

/* busy_us: -1 where the system does not tell. */
void tp_workload_read (TpWorkload *out_now);
/* What others worked from @begin to @end; -1: not known. */
gint64 tp_workload_get_others_us (const TpWorkload *begin,
                                  const TpWorkload *end);
/* Whether it is sure that nobody else had a processor for long: a thread that lost
 * its own made room for another of this process. FALSE also where the time was too
 * short to tell: the system counts in ticks. */
gboolean tp_workload_was_alone (const TpWorkload *begin, const TpWorkload *end);

#endif
