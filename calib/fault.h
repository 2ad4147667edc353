/* fault.h: what is wrong with the times of a device, in one line for each. */
#ifndef TP_CALIB_FAULT_H
#define TP_CALIB_FAULT_H

#include "ir/costs.h"

typedef struct TpFault TpFault;

/* "device 'cpu' was never measured": takes @what; @remedy is a literal. */
TpFault *tp_fault_new (char *what, const char *remedy);
void tp_fault_free (TpFault *fault); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpFault, tp_fault_free)

/* As TPLAN_ERROR_STALE; always FALSE. */
gboolean tp_fault_fail (const TpFault *fault, GError **error);
/* @faults: [device]: TpFault, or NULL. Adds a line for each to @warnings (nullable), with
 * the ops that a device may not have for that, once @costs are such. */
void tp_faults_report (const GPtrArray *faults, const TpCosts *costs,
                       GPtrArray *warnings);

#endif
