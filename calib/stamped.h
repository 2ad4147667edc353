/* stamped.h: what kernels took, by the device's clock and the caller's. */
#ifndef TP_CALIB_STAMPED_H
#define TP_CALIB_STAMPED_H

#include "runtime/device.h"

/* Times of @n launches that a queue ran one after the other, from the end of one to
 * the end of the next, so that they add up to the whole. Keeping times slows a queue
 * down between kernels, so of what lies there as much counts as adds up to
 * @whole_ns: all of it without stamps, by the caller's clock. Returns what the
 * times are still to be multiplied by where that cannot be, for the clocks
 * disagree; else 1. */
double tp_stamped_spread (const TpStamp *stamps, int n, gint64 whole_ns,
                          gint64 *out_times);

#endif
