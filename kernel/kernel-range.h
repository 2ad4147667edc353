/* kernel-range.h: intervals of INDEX values, so that back ends need not guard
 * the arithmetic of addresses against overflow and odd divisions, may use
 * narrower integers, and vectors that need an alignment. */
#ifndef TP_KERNEL_KERNEL_RANGE_H
#define TP_KERNEL_KERNEL_RANGE_H

#include "kernel/kernel.h"

/* All lanes lie within. */
typedef struct
{
  gint64 lo, hi;
} TpRange;

/* Per value; those that are not INDEX, or of which nothing is known, have the
 * full range. Free with g_free (). */
TpRange *tp_kernel_get_ranges (const TpKernel *kernel);
gboolean tp_range_is_full (const TpRange *range);
/* Per value a power of two that divides it; 1 of what is no INDEX of one lane.
 * Free with g_free (). */
gint64 *tp_kernel_get_multiples (const TpKernel *kernel);

#endif
