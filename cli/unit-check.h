/* unit-check.h: each kernel of a plan alone, against the references. */
#ifndef TP_CLI_UNIT_CHECK_H
#define TP_CLI_UNIT_CHECK_H

#include "cli/run-data.h"
#include "ir/plan.h"

/* Runs every op, or fused group, of @plan by itself on its device, on the
 * references' values of what it reads, and compares what it writes: so that
 * errors do not add up and the worst op is the one to blame. */
gboolean tp_unit_check (const TpRunData *data, const TpPlan *plan,
                        const TpDeviceOptions *options,
                        TpRunErrors *out_errors, GError **error);

#endif
