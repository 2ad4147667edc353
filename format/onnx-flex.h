/* onnx-flex.h: FlexAttention: what its graphs do to scores is read where it stands. */
#ifndef TP_FORMAT_ONNX_FLEX_H
#define TP_FORMAT_ONNX_FLEX_H

#include "format/onnx-wire.h"
#include "format/onnx.h"
#include "graph/graph-builder.h"

gboolean tp_onnx_is_flex (const char *type);
/* Adds @node, read at @wire, with what its graphs do. */
gboolean tp_onnx_add_flex (TpOnnx *onnx, const TpWire *wire, const TpNode *node,
                           TpNodeNames names, GError **error);

#endif
