/* function-cache.h: attention over keys and values that are remembered. */
#ifndef TP_GRAPH_FUNCTION_CACHE_H
#define TP_GRAPH_FUNCTION_CACHE_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_cache (gsize *out_n);

#endif
