/* op-view.h: a view that no file can name. */
#ifndef TP_OPS_OP_VIEW_H
#define TP_OPS_OP_VIEW_H

#include "ir/op.h"

/* A constant of the host as the next op reads it: see graph/graph-stream.h. */
extern const TpOp tp_op_stream;

#endif
