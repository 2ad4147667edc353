/* memory-limit.h: how much memory of each device a plan may take. */
#ifndef TP_API_MEMORY_LIMIT_H
#define TP_API_MEMORY_LIMIT_H

#include "ir/costs.h"

/* (nullable) lists of "DEVICE=SIZE", or with the name of a pool instead of a device;
 * SIZE such as 1000000, 512M, 1.5G or 2GiB, in powers of 1024; a later one overrides
 * an earlier one. */
typedef struct
{
  const char *const *limits;
  const char *const *reserves; /* of a limit, or of what a device is known to have:
                               * for kernels, so plans do without */
} TpMemoryTexts;

/* [row] (ir/pools.h), bytes; 0: none. */
typedef struct
{
  gint64 *asked;              /* limits that were asked for; where there is a reserve,
                               * as in @all */
  gint64 *all;                /* what plans keep to: the lower of what was asked for
                               * and what the device is known to have, less the
                               * reserve */
  gint64 *reserves;           /* (nullable): none were asked for */
} TpMemoryLimits;

/* TPLAN_ERROR_USAGE: another form, no such device, or a reserve of what has no limit
 * or none above it. */
gboolean tp_memory_limits_init (TpMemoryLimits *limits, const TpCosts *costs,
                                const TpMemoryTexts *texts, GError **error);
void tp_memory_limits_clear (TpMemoryLimits *limits);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpMemoryLimits, tp_memory_limits_clear)

#endif
