/* function-sample.h: ops whose bodies say where an image is to be looked at. */
#ifndef TP_GRAPH_FUNCTION_SAMPLE_H
#define TP_GRAPH_FUNCTION_SAMPLE_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_sample (gsize *out_n);

#endif
