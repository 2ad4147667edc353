/* onnx-put-values.h: the tensors of a graph, as ONNX declares them. */
#ifndef TP_FORMAT_ONNX_PUT_VALUES_H
#define TP_FORMAT_ONNX_PUT_VALUES_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

#include <glib.h>

/* Inputs, outputs, and what lies between them, into the GraphProto @out. @types:
 * (nullable) the same graph read to the end. Where inputs have dimensions with names,
 * shapes that hang on them are left open. */
void tp_onnx_put_values (GByteArray *out, const TpGraphBuilder *builder,
                         const TpGraph *types);

#endif
