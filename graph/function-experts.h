/* function-experts.h: see function-experts.c. */
#ifndef TP_GRAPH_FUNCTION_EXPERTS_H
#define TP_GRAPH_FUNCTION_EXPERTS_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_experts (gsize *out_n);

#endif
