/* attention-lower.h: Attention as nests. */
#ifndef TP_OPS_ATTENTION_LOWER_H
#define TP_OPS_ATTENTION_LOWER_H

#include "ir/op.h"

gboolean tp_attention_lower (const TpGraph *graph, const TpNode *node,
                             TpLowered *lowered, GError **error);

#endif
