/* intervals.h: offsets for buffers of known lifetimes. */
#ifndef TP_IR_INTERVALS_H
#define TP_IR_INTERVALS_H

#include "ir/scratch.h"

/* Byte offsets for intervals of lifetime, none overlapping in both time and
 * space: greedy by size. */
typedef struct
{
  gint64 size_bytes;
  int first, last;            /* steps, inclusive */
  gint64 offset;              /* out */
} TpInterval;

/* Returns bytes in all, G_MAXINT64 when they cannot be counted;
 * @out_bound_bytes (nullable): the largest sum alive at one step. */
gint64 tp_intervals_pack (TpInterval *intervals, int n, gint64 align,
                          TpScratch *scratch, gint64 *out_bound_bytes);

#endif
