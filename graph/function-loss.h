/* function-loss.h: losses, and a gated activation. */
#ifndef TP_GRAPH_FUNCTION_LOSS_H
#define TP_GRAPH_FUNCTION_LOSS_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_loss (gsize *out_n);

#endif
