/* op-logic.h: an op that no file can name. */
#ifndef TP_OPS_OP_LOGIC_H
#define TP_OPS_OP_LOGIC_H

#include "ir/op.h"

/* Condition, then, else: what an If gives, until it is known whether its condition
 * is: see graph/graph-branch.h. */
extern const TpOp tp_op_if;

#endif
