/* burst.h: launches timed by the caller's clock. */
#ifndef TP_CALIB_BURST_H
#define TP_CALIB_BURST_H

#include "calib/samples.h"
#include "runtime/device.h"

/* @n of @launch queued, and waited for. */
gboolean tp_burst_time (TpDevice *device, TpLaunch *launch, int n,
                        gint64 *out_ns, GError **error);

/* For devices without a clock: how much longer a burst takes than one, so that the
 * wait cancels out. */
gboolean tp_burst_measure (TpDevice *device, TpLaunch *launch,
                           TpSample *out_sample, GError **error);

#endif
