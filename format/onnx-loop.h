/* onnx-loop.h: Loop, Scan and SequenceMap: their bodies are read like those of
 * functions, know all names around, and take inputs. */
#ifndef TP_FORMAT_ONNX_LOOP_H
#define TP_FORMAT_ONNX_LOOP_H

#include "format/onnx-wire.h"
#include "format/onnx.h"
#include "graph/graph-builder.h"

/* Adds @node, read at @wire, and its body. */
gboolean tp_onnx_add_loop (TpOnnx *onnx, const TpWire *wire, const TpNode *node,
                           TpNodeNames names, GError **error);

#endif
