/* trust.h: what an estimate may decide. */
#ifndef TP_CALIB_TRUST_H
#define TP_CALIB_TRUST_H

#include "ir/costs.h"

/* A guess must not win an op from a measurement, whichever device's it is, nor a guess
 * of another device from the host where nothing was measured: takes estimates away,
 * TP_COST_NONE with the reason, wherever the op, and all that is to be with it, can run
 * without them. Figures of simulated devices and of pinned ops stay. */
void tp_trust_measured (TpCosts *costs, const TpGraph *graph,
                        const TpGroups *groups);
/* What there has to be among figures for any to be doubted. */
typedef struct
{
  gboolean has_guesses;       /* an op or a group is estimated */
  gboolean has_gaps;          /* an op cannot run on some device */
} TpTrustSigns;

/* Whether that may change any of @costs, which are of @groups: not where all devices are
 * simulated, or the host, or nothing was guessed and groups are where their ops are.
 * @signs: what there is in @costs. */
gboolean tp_trust_has_doubts (const TpCosts *costs, const TpGroups *groups,
                              const TpTrustSigns *signs);
/* Whether it was taken away. */
gboolean tp_trust_is_doubted (const TpCost *cost);
/* Of how many ops it was on @device. */
int tp_trust_count_doubted (const TpCosts *costs, int device);

#endif
