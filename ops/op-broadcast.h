/* op-broadcast.h: binary elementwise ops before opset 7, when broadcasting had
 * to be asked for: input 1 is stretched to input 0, where attribute axis says
 * or at the end. */
#ifndef TP_OPS_OP_BROADCAST_H
#define TP_OPS_OP_BROADCAST_H

#include "ir/graph.h"
#include "ir/op.h"

/* Binary ops, whose broadcasting had to be asked for before opset 7; of one
 * type, or of any two (output 0 of the first). */
extern const TpAttrSpec tp_binary_attrs[];
gboolean tp_infer_arithmetic (const TpNode *node,
                              const TpTensor *const *inputs, TpShape *outputs,
                              GError **error);
gboolean tp_infer_binary (const TpNode *node, const TpTensor *const *inputs,
                          TpShape *outputs, GError **error);
int tp_align_binary (const TpNode *node, int i, int rank, int out_rank);

#endif
