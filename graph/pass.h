/* pass.h: all passes, in the order that plans are made after. */
#ifndef TP_GRAPH_PASS_H
#define TP_GRAPH_PASS_H

#include "ir/graph.h"

/* A new graph without Identity and dead ops, BatchNormalization folded into Conv;
 * @graph is left alone. */
TpGraph *tp_graph_simplify (const TpGraph *graph, GError **error);
/* A new graph with strides chosen; @graph is left alone. */
TpGraph *tp_graph_assign_layout (const TpGraph *graph, GError **error);
/* Simplifies and assigns layouts: the new graph is what plans are made for. */
TpGraph *tp_graph_prepare (const TpGraph *graph, GError **error);

#endif
