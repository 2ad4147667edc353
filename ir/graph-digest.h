/* graph-digest.h: one number for what a graph computes, as far as plans care. */
#ifndef TP_IR_GRAPH_DIGEST_H
#define TP_IR_GRAPH_DIGEST_H

#include "ir/digest.h"
#include "ir/graph.h"

/* Hex SHA-256 over structure, names of ops, shapes, layouts, attributes, and the
 * values of single numbers and of integers up to 4 KiB; of other constants shape
 * and type only: a retrained model keeps its plan. Caller frees. Worked out
 * once and kept with the graph, since graphs do not change. Thread: any. */
char *tp_graph_digest (const TpGraph *graph);

#endif
