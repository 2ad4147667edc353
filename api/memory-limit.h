/* memory-limit.h: how much memory of each device a plan may take. */
#ifndef TP_API_MEMORY_LIMIT_H
#define TP_API_MEMORY_LIMIT_H

#include "ir/costs.h"

/* @texts: (nullable): "DEVICE=SIZE", or the name of a pool instead of a device; SIZE
 * such as 1000000, 512M, 1.5G or 2GiB, in powers of 1024; a later one overrides an
 * earlier one. [row] (ir/pools.h): bytes, 0: no limit; g_free ().
 * TPLAN_ERROR_USAGE: another form, or no such device. */
gint64 *tp_limits_parse (const TpCosts *costs, const char *const *texts,
                         GError **error);

/* The lower of @asked and what the device is known to have. */
gint64 *tp_limits_join (const TpCosts *costs, const gint64 *asked);

#endif
