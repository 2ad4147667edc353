/* recurrent-reference.h: RNN, GRU and LSTM step by step, one sequence of one
 * direction at a time. */
#ifndef TP_OPS_RECURRENT_REFERENCE_H
#define TP_OPS_RECURRENT_REFERENCE_H

#include "ir/graph.h"
#include "ir/op.h"

void tp_recurrent_reference (const TpNode *node,
                             const TpRefTensor *const *inputs,
                             TpRefTensor *outputs);

#endif
