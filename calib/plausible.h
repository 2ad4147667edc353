/* plausible.h: figures that no machine can have. */
#ifndef TP_CALIB_PLAUSIBLE_H
#define TP_CALIB_PLAUSIBLE_H

#include "calib/cost-db.h"

/* Why @entry, measured on @device, is not to be believed; NULL: nothing speaks
 * against it. @cache_bytes: what the largest cache holds. */
char *tp_plausible_find_fault (const TpDeviceRow *device,
                               const TpEntryRow *entry, gint64 cache_bytes);

/* Of a link that is said to be faster than the memory at its end; it is then made
 * as fast as that. @way: "to the device". NULL: it is not. */
char *tp_plausible_bound_link (TpFit *link, double bandwidth_gbps,
                               const char *way);

#endif
