/* recurrent-reference.h: RNN, GRU and LSTM step by step, one sequence of one
 * direction at a time. */
#ifndef TP_OPS_RECURRENT_REFERENCE_H
#define TP_OPS_RECURRENT_REFERENCE_H

#include "ir/graph.h"
#include "ir/op.h"
#include "ops/recurrent.h"

void tp_recurrent_reference (const TpNode *node,
                             const TpRefTensor *const *inputs,
                             TpRefTensor *outputs);

/* One step. */
void tp_gru_run (TpCellRun *s, gint64 step);
void tp_lstm_run (TpCellRun *s, gint64 step);
void tp_rnn_run (TpCellRun *s, gint64 step);

#endif
