/* function-shape.h: ops whose bodies are arithmetic of shapes. */
#ifndef TP_GRAPH_FUNCTION_SHAPE_H
#define TP_GRAPH_FUNCTION_SHAPE_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_shape (gsize *out_n);

#endif
