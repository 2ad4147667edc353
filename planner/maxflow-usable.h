/* maxflow-usable.h: of each vertex, the arcs by which something can reach it. */
#ifndef TP_PLANNER_MAXFLOW_USABLE_H
#define TP_PLANNER_MAXFLOW_USABLE_H

#include "planner/maxflow-private.h"

/* Lists them for the cut in @flow->is_sink, which holds until @flow is freed. */
void tp_flow_list_usable (TpFlow *flow);

/* After a push along @a. Nothing if nothing is listed. */
void tp_flow_relist (TpFlow *flow, int a);

/* How many arcs a search has to look at from @v, and the @i-th. */
static inline int
tp_flow_count_usable (const TpFlow *flow, int v)
{
  return flow->listed == NULL ? flow->first[v + 1] - flow->first[v]
                              : flow->n_usable[v];
}

static inline int
tp_flow_get_usable (const TpFlow *flow, int v, int i)
{
  int a = flow->first[v] + i;

  return flow->listed == NULL ? a : flow->listed[a];
}

#endif
