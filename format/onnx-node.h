/* onnx-node.h: NodeProto and AttributeProto. */
#ifndef TP_FORMAT_ONNX_NODE_H
#define TP_FORMAT_ONNX_NODE_H

#include "format/onnx-wire.h"
#include "format/onnx.h"

/* Reads a NodeProto. */
gboolean tp_onnx_add_node (TpOnnx *onnx, TpWire wire, GError **error);

#endif
