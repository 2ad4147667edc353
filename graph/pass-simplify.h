/* pass-simplify.h: drops what does nothing, and folds what comes before run time. */
#ifndef TP_GRAPH_PASS_SIMPLIFY_H
#define TP_GRAPH_PASS_SIMPLIFY_H

#include "ir/graph.h"

/* A new graph without Identity and dead ops, BatchNormalization folded into Conv;
 * @graph is left alone. */
TpGraph *tp_graph_simplify (const TpGraph *graph, GError **error);

#endif
