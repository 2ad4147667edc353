/* onnx-put-values.h: the tensors of a graph, as ONNX declares them. */
#ifndef TP_FORMAT_ONNX_PUT_VALUES_H
#define TP_FORMAT_ONNX_PUT_VALUES_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

#include <glib.h>

/* Inputs, outputs, and what lies between them, into the GraphProto @out. @types:
 * (nullable) the same graph read to the end. Where inputs have dimensions with names,
 * those of outputs are left open, and nothing is said of what lies between. */
void tp_onnx_put_values (GByteArray *out, const TpGraphBuilder *builder,
                         const TpGraph *types);

#endif
