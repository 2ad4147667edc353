/* plan-read-graph.h: the graph that a plan is for. */
#ifndef TP_FORMAT_PLAN_READ_GRAPH_H
#define TP_FORMAT_PLAN_READ_GRAPH_H

#include "format/plan-read.h"

/* Prepared and pinned as @plan says, whose head is there. */
TpGraph *tp_plan_read_graph (const TpPlanReader *reader, const TpPlan *plan,
                             GError **error);
/* Whether it is the one that @plan was made for: it may have changed since. */
gboolean tp_plan_check_graph (const TpPlanReader *reader, const TpPlan *plan,
                              const TpGraph *graph, GError **error);

#endif
