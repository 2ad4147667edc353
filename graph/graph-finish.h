/* graph-finish.h: from names and symbolic shapes to a graph. */
#ifndef TP_GRAPH_GRAPH_FINISH_H
#define TP_GRAPH_GRAPH_FINISH_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

/* Every name means something, every op gets one. Sorts the ops. */
gboolean tp_graph_builder_check (TpGraphBuilder *builder, GError **error);

/* Values of all dimensions, sorted nodes. */
gboolean tp_graph_builder_bind_all (TpGraphBuilder *builder, TpDims *dims,
                                    GError **error);

/* Binds dims, sorts, checks, infers shapes, folds constants; frees nothing. */
TpGraph *tp_graph_builder_finish (TpGraphBuilder *builder, TpDims *dims,
                                  GError **error);

/* Whether the graph has all that @dims (nullable) names. */
gboolean tp_builder_check_dims (TpGraphBuilder *builder, const TpDims *dims,
                                GError **error);

#endif
