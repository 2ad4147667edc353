/* plausible.h: figures that no machine can have. */
#ifndef TP_CALIB_PLAUSIBLE_H
#define TP_CALIB_PLAUSIBLE_H

#include "calib/cost-db.h"
#include "runtime/device.h"

/* What no kernel of a device goes beyond. */
typedef struct
{
  double peak_gflops;
  double double_gflops;       /* of float64 */
  double bandwidth_gbps;
  gint64 cache_bytes;         /* what the largest cache holds */
} TpBounds;

/* By the constants of @device, or what processors of this machine could do at
 * best, whichever is more. @stream_ns: of tp_probe_stream_ns (); 0: unknown. */
void tp_plausible_find_bounds (TpBounds *bounds, const TpDeviceRow *device,
                               gint64 stream_ns);

/* Why @entry is not to be believed; NULL: nothing speaks against it. */
char *tp_plausible_find_fault (const TpBounds *bounds,
                               const TpEntryRow *entry);
/* Whether @entry failed by that alone: it is worth another try, at another time. */
gboolean tp_plausible_is_doubt (const TpEntryRow *entry);

/* Constants that no device has are taken for what one may have at most. What of
 * them was not believed, for people; NULL: all was. */
char *tp_plausible_bound_device (TpDeviceRow *device);

/* Of a link that is faster than any memory; it is then taken for as fast as
 * @bandwidth_gbps. @way: "to the device". NULL: it is not. */
char *tp_plausible_bound_link (TpFit *link, double bandwidth_gbps,
                               const char *way);

/* Whether @n stamps of launches one after the other, which took @time_ns by the
 * caller's clock, may be true: ends follow each other, and fit in. */
gboolean tp_plausible_stamps (const TpStamp *stamps, guint n, gint64 time_ns);

#endif
