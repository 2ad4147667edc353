/* function-signal.h: windows and Fourier transforms. */
#ifndef TP_GRAPH_FUNCTION_SIGNAL_H
#define TP_GRAPH_FUNCTION_SIGNAL_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_signal (gsize *out_n);

#endif
