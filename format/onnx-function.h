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

/* In a body: what @name is called in the graph, and the attribute @name of the
 * call, or NULL. Outside: @name, and NULL. */
const char *tp_onnx_map_name (const TpOnnx *onnx, const char *name);
const TpAttr *tp_onnx_find_argument (const TpOnnx *onnx, const char *name);

/* Constants of bodies, by where they stand in the file. */
TpMap *tp_onnx_constants_new (void);
/* What the node at @wire, called @name in its body, gives is the same in every
 * call: those to come take that of this one. */
void tp_onnx_share_constant (TpOnnx *onnx, const TpWire *wire,
                             const char *name);

/* Large values of constants in bodies, by where they lie. */
TpMap *tp_onnx_values_new (void);
/* What constant in the graph has the values of @value already; NULL: @name, which
 * is noted, or @value is small, or no function is being called. So a value of one
 * place in the file is one constant, however many calls each give it a name. */
const char *tp_onnx_share_value (TpOnnx *onnx, const TpTensor *value,
                                 const char *name);

#endif
