/* recurrent-lower.h: RNN, GRU and LSTM as nests. */
#ifndef TP_OPS_RECURRENT_LOWER_H
#define TP_OPS_RECURRENT_LOWER_H

#include "ir/graph.h"
#include "nest/nest.h"
#include "ops/recurrent.h"

gboolean tp_recurrent_lower (const TpGraph *graph, const TpNode *node,
                             TpLowered *lowered, GError **error);

/* The nests of one step. */
void tp_gru_lower (const TpCellLowering *self);
void tp_lstm_lower (const TpCellLowering *self);
void tp_rnn_lower (const TpCellLowering *self);

#endif
