/* pass-quantized-blocks.h: products with weights of a few bits, quantized in blocks. */
#ifndef TP_GRAPH_PASS_QUANTIZED_BLOCKS_H
#define TP_GRAPH_PASS_QUANTIZED_BLOCKS_H

#include "graph/graph-draft.h"

/* Makes MatMulNBits of each MatMul whose second factor is made of such a constant. */
gboolean tp_pass_quantized_pack_blocks (TpDraft *draft, GError **error);

#endif
