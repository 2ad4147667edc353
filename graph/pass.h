/* pass.h: all passes, in the order that plans are made after. */
#ifndef TP_GRAPH_PASS_H
#define TP_GRAPH_PASS_H

#include "ir/graph.h"

/* Simplifies and assigns layouts: the new graph is what plans are made for. */
TpGraph *tp_graph_prepare (const TpGraph *graph, GError **error);

#endif
