/* graph.h: graphs, with the tables their queries hand out made once. */
#ifndef TP_API_GRAPH_H
#define TP_API_GRAPH_H

#include "include/tplan.h"
#include "ir/graph.h"
#include "ir/plan.h"

/* Prepared; owned by @graph. */
const TpGraph *tp_api_get_graph (const TplanGraph *graph);

/* char*: dimensions that had no value, taken as 1; NULL: none were to be. */
const TpDims *tp_api_get_assumed (const TplanGraph *graph);

/* Takes @graph, which is prepared, without the passes @no_pass (nullable). */
TplanGraph *tp_api_wrap_graph (TpGraph *graph, const char *path, TpDims *dims,
                               const char *const *no_pass);
/* The same of @graph as it is placed by @plan. */
TplanGraph *tp_api_wrap_graph_of (TpGraph *graph, const TpPlan *plan);

#endif
