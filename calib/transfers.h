/* transfers.h: in the child: what copies to and from a device take. */
#ifndef TP_CALIB_TRANSFERS_H
#define TP_CALIB_TRANSFERS_H

#include "calib/fit.h"
#include "calib/near.h"
#include "calib/worker.h"
#include "runtime/device.h"

typedef struct
{
  TpChannel *channel;
  int index;                  /* of the device, for tp_channel_beat () */
  TpDevice *device;
  TpLaunch *tiny;             /* a kernel with next to no work */
  TpNear *near;
  TpPrecedence *precedence;
} TpTransferJob;

/* A launch of job->tiny and its wait. */
gboolean tp_transfers_time_launch (const TpTransferJob *job, gint64 *out_ns,
                                   GError **error);
gboolean tp_transfers_measure (const TpTransferJob *job, TpFit *out_to_device,
                               TpFit *out_to_host, GError **error);

#endif
