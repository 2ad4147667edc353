/* function-training.h: what ops do while a model is trained. */
#ifndef TP_GRAPH_FUNCTION_TRAINING_H
#define TP_GRAPH_FUNCTION_TRAINING_H

#include "graph/function-body.h"

const TpFunction *tp_function_list_training (gsize *out_n);
/* Whether a BatchNormalization goes by the statistics of its batch. */
gboolean tp_function_is_trained (const TpNode *node, TpNodeNames names);
/* Whether a Dropout is told if it is to drop anything. */
gboolean tp_function_may_drop (const TpNode *node, TpNodeNames names);

#endif
