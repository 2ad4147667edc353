/* pass-layout.h: chooses strides. */
#ifndef TP_GRAPH_PASS_LAYOUT_H
#define TP_GRAPH_PASS_LAYOUT_H

#include "ir/graph.h"

/* A new graph in which rank-4 float activations are channels-last; "Relayout" ops
 * are put where a consumer (Reshape, graph output) needs row-major. @graph is left
 * alone. */
TpGraph *tp_graph_assign_layout (const TpGraph *graph, GError **error);

#endif
