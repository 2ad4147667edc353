/* function-random.h: RandomNormal, RandomUniform and Bernoulli. */
#ifndef TP_GRAPH_FUNCTION_RANDOM_H
#define TP_GRAPH_FUNCTION_RANDOM_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_random (gsize *out_n);

#endif
