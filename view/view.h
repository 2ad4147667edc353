/* view.h: plans as pictures. */
#ifndef TP_VIEW_VIEW_H
#define TP_VIEW_VIEW_H

#include "ir/plan.h"

/* DOT text of a plan: ops coloured and shaped by device, cut edges with bytes
 * and microseconds, fused groups as clusters, a legend with totals. Above
 * @max_nodes ops of one device in a row are drawn as one. */
char *tp_view_to_dot (const TpPlan *plan, const TpGraph *graph, int max_nodes,
                      GError **error);
/* @format: "svg" or "png". Laid out in a child process with a time limit. */
GBytes *tp_view_render (const char *dot, const char *format, gint64 limit_ns,
                        GError **error);

#endif
