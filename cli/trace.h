/* trace.h: one run as Chrome's trace event format. */
#ifndef TP_CLI_TRACE_H
#define TP_CLI_TRACE_H

#include "ir/plan.h"
#include "runtime/session.h"

/* Two processes, "predicted" and "measured", each with one row per device, and for the
 * copies of each where these go on beside kernels; for
 * chrome://tracing and Perfetto. */
char *tp_trace_to_json (const TpPlan *plan, const TpGraph *graph,
                        const TpSession *session);

#endif
