/* function-contrib.h: ops of ONNX Runtime (com.microsoft) that are others fused. */
#ifndef TP_GRAPH_FUNCTION_CONTRIB_H
#define TP_GRAPH_FUNCTION_CONTRIB_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_contrib (gsize *out_n);

#endif
