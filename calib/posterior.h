/* posterior.h: what a figure is likely to be, given all others. */
#ifndef TP_CALIB_POSTERIOR_H
#define TP_CALIB_POSTERIOR_H

#include "ir/costs.h"

/**
 * tp_posterior_draw:
 * @costs: measured, with spreads; @costs->kernels says which rows share a
 *   measurement
 * @expected: (nullable) [group * n_devices + device]: log of what the group should
 *   take to what its ops should take apart; NAN: not known
 *
 * Draws noisy figures towards what others of their kind have, by as much as they
 * are noisy: what a kernel takes on one device to what it takes on the host, and
 * what a group takes to what its ops do. A group that should gain, and loses no
 * more than noise could make it, is as fast as its ops. time_ns and spread_ns are
 * then those of the posterior; measured_ns keeps what was measured.
 *
 * Pure. Estimates, exact figures (spread 0) and what no device can are left alone
 * and draw nothing.
 */
void tp_posterior_draw (TpCosts *costs, const TpGroups *groups,
                        const double *expected);

#endif
