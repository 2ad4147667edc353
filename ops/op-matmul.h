/* op-matmul.h: products of matrices: what MatMul shares with products of integers. The
 * first matrix is input 0, the other input @second. */
#ifndef TP_OPS_OP_MATMUL_H
#define TP_OPS_OP_MATMUL_H

#include "ops/op-util.h"

/* The shape of the product; its dtype is left alone. */
gboolean tp_matmul_infer_shape (const TpNode *node,
                                const TpTensor *const *inputs, int second,
                                TpShape *out, GError **error);
/* The axis of the rows of the product, unless @a is a vector; that of the columns is
 * the next. */
int tp_matmul_get_row (const TpTensor *a, const TpTensor *b);
/* All axes, and the two factors, loads 0 and 1. */
void tp_matmul_add_loads (TpLowering *lowering, int second, int *out_factors);
void tp_matmul_reference (const TpRefTensor *x, const TpRefTensor *y,
                          double *out);

#endif
