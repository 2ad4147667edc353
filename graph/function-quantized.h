/* function-quantized.h: the bodies of quantized ops of the domain com.microsoft, as ONNX
 * Runtime's tools write them. */
#ifndef TP_GRAPH_FUNCTION_QUANTIZED_H
#define TP_GRAPH_FUNCTION_QUANTIZED_H

#include "graph/function-body.h"

extern const char *const tp_attrs_qgemm[];
extern const char *const tp_attrs_qpool[];
extern const char *const tp_attrs_none[];

void tp_body_add_qlinear_add (TpBody *self);
void tp_body_add_qlinear_mul (TpBody *self);
void tp_body_add_qlinear_sigmoid (TpBody *self);
void tp_body_add_qlinear_pool (TpBody *self);
void tp_body_add_qgemm (TpBody *self);
void tp_body_add_dynamic_matmul (TpBody *self);
void tp_body_add_integer_matmul (TpBody *self);

#endif
