/* function-quantized.h: quantized ops of ONNX Runtime (com.microsoft). */
#ifndef TP_GRAPH_FUNCTION_QUANTIZED_H
#define TP_GRAPH_FUNCTION_QUANTIZED_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_quantized (gsize *out_n);

#endif
