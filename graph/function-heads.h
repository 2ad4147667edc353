/* function-heads.h: see function-heads.c. */
#ifndef TP_GRAPH_FUNCTION_HEADS_H
#define TP_GRAPH_FUNCTION_HEADS_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_heads (gsize *out_n);

#endif
