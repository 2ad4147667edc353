/* optimize.h: the road with options of the public calls. */
#ifndef TP_API_OPTIMIZE_H
#define TP_API_OPTIMIZE_H

#include "include/tplan.h"

/* tplan_graph_optimize_full (); @ignores_memory: as in the options of the road;
 * nothing is mapped then. */
TplanPlan *tp_road_optimize (const TplanGraph *graph, const TplanCosts *costs,
                             const TplanOptimizeOptions *options,
                             gboolean ignores_memory, GError **error);

#endif
