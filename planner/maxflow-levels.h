/* maxflow-levels.h: blocking flows on level graphs. */
#ifndef TP_PLANNER_MAXFLOW_LEVELS_H
#define TP_PLANNER_MAXFLOW_LEVELS_H

#include "ir/array.h"
#include "planner/maxflow.h"

/* Dinic's method, in O (n^2 m). Augments between @roots (all with residual to
 * the sink if @is_sink, else all from the source) and any vertex with residual
 * of the other kind. Leaves in @reached (int) the vertices between which and roots
 * that still want more there is a way, unless scans ran out. Returns the flow
 * added. */
gint64 tp_flow_block (TpFlow *flow, const int *roots, int n_roots,
                      gboolean is_sink, TpArray *reached);

#endif
