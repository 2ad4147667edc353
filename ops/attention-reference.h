/* attention-reference.h: what Attention means. */
#ifndef TP_OPS_ATTENTION_REFERENCE_H
#define TP_OPS_ATTENTION_REFERENCE_H

#include "ir/op.h"

void tp_attention_reference (const TpNode *node,
                             const TpRefTensor *const *inputs,
                             TpRefTensor *outputs);

#endif
