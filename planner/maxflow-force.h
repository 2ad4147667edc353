/* maxflow-force.h: how much a cut grows when a vertex has to change sides. */
#ifndef TP_PLANNER_MAXFLOW_FORCE_H
#define TP_PLANNER_MAXFLOW_FORCE_H

#include "planner/maxflow.h"

typedef struct
{
  gint64 amount;              /* by which the minimum cut grows, */
  gboolean is_exact;          /* or by which at least */
} TpFlowForced;

/* After solve: for each vertex of @is_wanted, alone, by how much the minimum cut
 * grows when it is forced to the other side than tp_flow_get_sink_side() has it
 * on; at most @limit. All together look at @scans arcs. @flow is no flow any
 * more. @out: [vertex]. */
void tp_flow_force_all (TpFlow *flow, const guint8 *is_wanted, gint64 limit,
                        gint64 scans, TpFlowForced *out);

#endif
