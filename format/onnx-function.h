/* onnx-function.h: functions of a model (FunctionProto), which are inlined
 * where they are called. */
#ifndef TP_FORMAT_ONNX_FUNCTION_H
#define TP_FORMAT_ONNX_FUNCTION_H

#include "format/onnx-wire.h"
#include "format/onnx.h"
#include "ir/graph.h"

TpMap *tp_onnx_functions_new (void);

/* Reads the FunctionProto in @field; its body only when it is called. */
gboolean tp_onnx_add_function (TpOnnx *onnx, const TpWire *wire,
                               const TpWireField *field, GError **error);

/* NULL: none of the model's. */
const TpOnnxFunction *tp_onnx_find_function (const TpOnnx *onnx,
                                             const char *domain,
                                             const char *name);
TpWire tp_onnx_function_get_wire (const TpOnnxFunction *function);

/* Adds the nodes of the body. @wire: the node that calls. */
gboolean tp_onnx_call_function (TpOnnx *onnx, const TpOnnxFunction *function,
                                const TpWire *wire,
                                const TpOnnxArguments *arguments,
                                GError **error);

#endif
