/* function-fused.h: FusedConv and FusedGemm of ONNX Runtime (com.microsoft). */
#ifndef TP_GRAPH_FUNCTION_FUSED_H
#define TP_GRAPH_FUNCTION_FUSED_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_fused (gsize *out_n);

#endif
