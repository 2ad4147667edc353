/* function-nbits.h: MatMulNBits of ONNX Runtime (com.microsoft). */
#ifndef TP_GRAPH_FUNCTION_NBITS_H
#define TP_GRAPH_FUNCTION_NBITS_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_nbits (gsize *out_n);

#endif
