/* function-gated.h: see function-gated.c. */
#ifndef TP_GRAPH_FUNCTION_GATED_H
#define TP_GRAPH_FUNCTION_GATED_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_gated (gsize *out_n);

#endif
