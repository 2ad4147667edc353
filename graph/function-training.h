/* function-training.h: one step of an optimizer (ai.onnx.preview.training). */
#ifndef TP_GRAPH_FUNCTION_TRAINING_H
#define TP_GRAPH_FUNCTION_TRAINING_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_training (gsize *out_n);

#endif
