/* op.h: finding an op by name. */
#ifndef TP_OPS_OP_H
#define TP_OPS_OP_H

#include "ir/op.h"

const TpOp *tp_op_find (const char *name);
const TpOp *const *tp_op_list (int *out_n); /* sorted by name */

/* FALSE where the op is not known. */
gboolean tp_node_has_flag (const TpNode *node, TpOpFlags flag);

#endif
