/* dot.h: a drawing as DOT text, through libcgraph. */
#ifndef TP_VIEW_DOT_H
#define TP_VIEW_DOT_H

#include "ir/graph.h"
#include "ir/plan.h"

/* As many ops as there are; or as are legible on a screen of 1600 x 1200. */
#define TP_VIEW_FULL G_MAXINT
#define TP_VIEW_FIT 0

/* DOT text of a plan: ops coloured and shaped by device, darker the more time
 * they take, cut edges with bytes and microseconds, fused groups as clusters, a
 * legend with totals. Above @max_nodes, or TP_VIEW_FULL or TP_VIEW_FIT, ops in a
 * row are drawn as one. */
char *tp_view_to_dot (const TpPlan *plan, const TpGraph *graph, int max_nodes,
                      GError **error);

#endif
