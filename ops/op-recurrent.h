/* op-recurrent.h: RNN, GRU and LSTM: shapes and records. */
#ifndef TP_OPS_OP_RECURRENT_H
#define TP_OPS_OP_RECURRENT_H

#include "ir/graph.h"
#include "ops/recurrent.h"

/* From the attributes and the dimensions of X and R. */
gboolean tp_recurrent_init (TpRecurrent *self, const TpNode *node,
                            const gint64 *x, const gint64 *r, GError **error);

#endif
