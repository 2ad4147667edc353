/* whole.h: what a whole plan took goes into the cost table. */
#ifndef TP_API_WHOLE_H
#define TP_API_WHOLE_H

#include "include/tplan.h"

/* Of one sitting: a session that ran it. */
typedef struct
{
  gint64 median_ns;
  gint64 half_ns;             /* half of its 95 % interval */
  int n;                      /* runs */
  int n_threads;              /* of the session */
} TpWholeTime;

/**
 * tp_api_keep_whole:
 * @path: (nullable): as of tplan_costs_open ()
 * @out_kept: whether it says anything of the figures of the table
 *
 * Keeps @time beside what the table's figures foretell for @plan, uncorrected,
 * so that plans to come are corrected by it. Not kept, and no error: of a plan
 * with a simulated device, of one whose devices work at once, or with an op
 * whose time the graph gives; of one with a device that was never measured in this table, or whose kernels are not
 * those that were.
 *
 * FALSE: the table cannot be read or written.
 */
gboolean tp_api_keep_whole (const TplanPlan *plan, const char *path,
                            const TpWholeTime *time, gboolean *out_kept,
                            GError **error);

#endif
