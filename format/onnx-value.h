/* onnx-value.h: ValueInfoProto: the graph's inputs and outputs. */
#ifndef TP_FORMAT_ONNX_VALUE_H
#define TP_FORMAT_ONNX_VALUE_H

#include "format/onnx-wire.h"
#include "format/onnx.h"

/* Reads a ValueInfoProto of the graph's inputs, unless it has a value. */
gboolean tp_onnx_add_input (TpOnnx *onnx, TpWire wire, GError **error);

/* Reads a ValueInfoProto of the graph's outputs. */
gboolean tp_onnx_add_output (TpOnnx *onnx, TpWire wire, GError **error);

#endif
