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

#define TP_TRANSFER_SIZES 12

/* What a copy of each size takes, as one process finds it. */
typedef struct
{
  double to_device_ns[TP_TRANSFER_SIZES];
  double to_host_ns[TP_TRANSFER_SIZES];
} TpTransferTimes;

/* A launch of job->tiny and its wait. */
gboolean tp_transfers_time_launch (const TpTransferJob *job, gint64 *out_ns,
                                   GError **error);
gboolean tp_transfers_measure (const TpTransferJob *job,
                               TpTransferTimes *out_times, GError **error);

/* Bytes; rising. @i: below TP_TRANSFER_SIZES. */
gint64 tp_transfers_get_size (int i);

/* As a TP_MESSAGE_TRANSFERS; @took_us: to measure them. */
void tp_transfers_send (const TpTransferJob *job, const TpTransferTimes *times,
                        gint64 took_us);
/* FALSE: it says something else. */
gboolean tp_transfers_read (GVariant *payload, int *out_device,
                            gint64 *out_took_us, TpTransferTimes *out_times);

/* Lines, or points, by what @n processes found: each size takes the median of them,
 * of an even number the less of the two in the middle; how far they are apart adds
 * to the residuals. n >= 1. */
void tp_transfers_fit (const TpTransferTimes *sittings, int n,
                       TpFit *out_to_device, TpFit *out_to_host);

#endif
