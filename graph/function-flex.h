/* function-flex.h: FlexAttention of ai.onnx.preview. */
#ifndef TP_GRAPH_FUNCTION_FLEX_H
#define TP_GRAPH_FUNCTION_FLEX_H

#include "graph/function-body.h"

/* The op, and what is before and behind graphs that change its scores, or what a Softmax
 * makes of them: of queries and keys scores, of these and values the output. */
#define TP_FLEX_ATTENTION "ai.onnx.preview.FlexAttention"
#define TP_FLEX_SCORES TP_FLEX_ATTENTION ".scores"
#define TP_FLEX_OUTPUT TP_FLEX_ATTENTION ".output"

const TpFunction *tp_function_list_flex (gsize *out_n);

#endif
