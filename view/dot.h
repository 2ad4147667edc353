/* dot.h: a drawing as DOT text, through libcgraph. */
#ifndef TP_VIEW_DOT_H
#define TP_VIEW_DOT_H

#include "ir/graph.h"
#include "ir/plan.h"

/* DOT text of a plan: ops coloured and shaped by device, cut edges with bytes
 * and microseconds, fused groups as clusters, a legend with totals. Above
 * @max_nodes ops of one device in a row are drawn as one. */
char *tp_view_to_dot (const TpPlan *plan, const TpGraph *graph, int max_nodes,
                      GError **error);

#endif
