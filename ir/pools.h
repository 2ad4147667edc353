/* pools.h: memory that several devices take from.
 *
 * Limits of memory are rows of bytes, 0: no limit: one row for each device, then
 * one for each pool, which bounds what all its devices take together. */
#ifndef TP_IR_POOLS_H
#define TP_IR_POOLS_H

#include "ir/costs.h"

/* A name that one device alone has is no pool. */
int tp_pools_count_rows (const TpCosts *costs);
gboolean tp_pools_is_in (const TpCosts *costs, int row, int device);
/* Of the device, or of the pool. */
const char *tp_pools_get_name (const TpCosts *costs, int row);

/* The row of the pool that @device takes from; -1: it shares with none. */
int tp_pools_find (const TpCosts *costs, int device);
/* [row]: what there is, as far as it is known: of a pool what the one of its devices
 * has that has most. g_free (). */
gint64 *tp_pools_list_memory (const TpCosts *costs);
/* What @limits allow @device if others take nothing; 0: no limit. */
gint64 tp_pools_get_limit (const TpCosts *costs, const gint64 *limits,
                           int device);
/* What all devices of @row take together; G_MAXINT64: no less. */
gint64 tp_pools_sum (const TpCosts *costs, int row, const gint64 *bytes);
/* By how much @bytes, [device], are above the limit of @row. */
gint64 tp_pools_find_missing (const TpCosts *costs, const gint64 *limits,
                              int row, const gint64 *bytes);

#endif
