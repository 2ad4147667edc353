/* function-nbits.h: weights of a few bits, several in a byte, as ONNX Runtime
 * (com.microsoft) has them. */
#ifndef TP_GRAPH_FUNCTION_NBITS_H
#define TP_GRAPH_FUNCTION_NBITS_H

#include "graph/function-body.h"

/* [@n_rows, @n], of rows of whole bytes, the first number in the lowest bits; bits is 2, 4
 * or 8. */
const char *tp_body_unpack_rows (TpBody *self, const char *packed, gint64 n_rows, gint64 n,
                                 int bits);

const TpFunction *tp_function_list_nbits (gsize *out_n);

#endif
