/* graph-faulty.h: ops with something wrong in a graph that is read up to some of its
 * tensors: they are told if they are needed. */
#ifndef TP_GRAPH_GRAPH_FAULTY_H
#define TP_GRAPH_GRAPH_FAULTY_H

#include "graph/graph-builder-private.h"

/* Adds an op of no known type in place of @node, which could not be added for @fault.
 * FALSE: that is not to wait: outputs were not chosen, @fault is none of the op, or
 * its names are wrong, too. */
gboolean tp_builder_put_off (TpGraphBuilder *builder, const TpNode *node,
                             TpNodeNames names, const GError *fault);
/* What is wrong with the first op that is still in the graph. */
gboolean tp_builder_check_faults (TpGraphBuilder *builder, GError **error);

#endif
