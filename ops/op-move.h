/* op-move.h: Transpose, Concat, Slice, Gather, Shape: elements elsewhere. */
#ifndef TP_OPS_OP_MOVE_H
#define TP_OPS_OP_MOVE_H

#include "ir/op.h"

/* A Transpose whose output has the strides of its input in another order: a view,
 * put into graphs by tp_graph_assign_layout () and found nowhere else. */
extern const TpOp tp_op_permute;

#endif
