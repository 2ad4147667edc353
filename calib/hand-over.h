/* hand-over.h: in the child: what it takes until the host has what a device has written,
 * and the other way round, where the host works in memory of the device. */
#ifndef TP_CALIB_HAND_OVER_H
#define TP_CALIB_HAND_OVER_H

#include "calib/cost-db.h"
#include "calib/near.h"
#include "calib/worker.h"

typedef struct
{
  TpChannel *channel;
  int index;                  /* of the device, for tp_channel_beat () */
  const char *device;         /* by name: one more is opened, which is mapped */
  int n_threads;
  TpNear *near;
  TpPrecedence *precedence;
} TpHandOverJob;

/* Into @row, which has its launch_ns: map_to_device, map_to_host, map_permille; nothing
 * where the device is not mapped. */
gboolean tp_hand_over_measure (const TpHandOverJob *job, TpDeviceRow *row,
                               GError **error);

#endif
