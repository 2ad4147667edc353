/* op-integer.h: what products of matrices and convolutions of small integers share. */
#ifndef TP_OPS_OP_INTEGER_H
#define TP_OPS_OP_INTEGER_H

#include "ops/op-util.h"

/* The inputs of such an op, by number; -1: it has none such. */
typedef struct
{
  int w;                      /* x is input 0 */
  int x_zero, w_zero;
  int x_scale, w_scale, y_scale, y_zero;
  int bias;
} TpIntegerInputs;

#define TP_INTEGER_PLAIN { 1, 2, 3, -1, -1, -1, -1, -1 }

/* Types: x and w of 8 bits; zero points of the types of what they are of; scales real. Sets the dtype of the output. */
gboolean tp_integer_check_dtypes (const TpNode *node,
                                  const TpTensor *const *inputs,
                                  TpShape *out, GError **error);
const TpIntegerInputs *tp_integer_get_inputs (const TpNode *node);
/* Input @i, or NULL. */
const TpTensor *tp_integer_get_tensor (const TpNode *node,
                                       const TpTensor *const *inputs, int i);
/* Of @product over what is reduced. */
int tp_integer_sum (TpLowering *lowering, int product);
/* What is stored for @sum: itself, or scaled by @scales (of x and w, whose are -1 where
 * they have none) and quantized. */
int tp_integer_finish (TpLowering *lowering, int sum, const int *scales);

/* For references: @input less its zero points, which @pick finds for each element;
 * caller frees. */
double *tp_integer_shift (const TpRefTensor *input, const TpRefTensor *zero,
                          gint64 (*pick) (const TpRefTensor *input,
                                          const TpRefTensor *zero, gint64 i));
/* What is stored for @sum, where the scales of x and w are these. */
double tp_integer_requantize (const TpNode *node,
                              const TpRefTensor *const *inputs, double sum,
                              const double *scales);

#endif
