/* trust.h: what an estimate may decide. */
#ifndef TP_CALIB_TRUST_H
#define TP_CALIB_TRUST_H

#include "ir/costs.h"

/* A guess must not win an op from a measurement, nor from the host where nothing
 * was measured: takes the estimates of other devices away, TP_COST_NONE with the
 * reason, wherever the op can run without them. Figures of simulated devices and
 * of pinned ops stay. */
void tp_trust_measured (TpCosts *costs, const TpGraph *graph,
                        const TpGroups *groups);
/* Whether that may take any away: not where all devices are simulated, or the host. */
gboolean tp_trust_has_doubts (const TpCosts *costs);

#endif
