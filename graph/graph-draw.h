/* graph-draw.h: weights that are computed, drawn at random instead: to time kernels
 * that read them, any values do. */
#ifndef TP_GRAPH_GRAPH_DRAW_H
#define TP_GRAPH_GRAPH_DRAW_H

#include "ir/graph.h"

/* A graph equal to @graph but for the values of recipes (ir/recipe.h), which nobody has
 * to compute; @graph itself where there are none. */
TpGraph *tp_graph_draw_recipes (TpGraph *graph, GError **error);

#endif
