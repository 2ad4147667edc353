/* op-integer.c: what products of matrices and convolutions of small integers share:
 * their types, and what becomes of the sums: these themselves (MatMulInteger,
 * ConvInteger), or scaled and quantized (QLinearMatMul, QLinearConv). */
#include "config.h"

#include "ops/op-integer.h"

#include "ir/guard.h"
#include "ops/op-quantize.h"

const TpIntegerInputs *
tp_integer_get_inputs (const TpNode *node)
{
  return node->op->data;
}

const TpTensor *
tp_integer_get_tensor (const TpNode *node, const TpTensor *const *inputs, int i)
{
  return i >= 0 && i < node->n_inputs ? inputs[i] : NULL;
}

static gboolean
is_small (const TpTensor *tensor)
{
  return tp_dtype_is_quantized (tensor->dtype)
         && tp_dtype_get_size (tensor->dtype) == 1;
}

static gboolean
check_zero (const TpNode *node, const TpTensor *const *inputs, int i, int of,
            GError **error)
{
  const TpTensor *zero = tp_integer_get_tensor (node, inputs, i);

  return zero == NULL || zero->dtype == inputs[of]->dtype
         || tp_op_fail (node, error,
                        "input %d (a zero point) is %s, input %d is %s", i,
                        tp_dtype_get_name (zero->dtype), of,
                        tp_dtype_get_name (inputs[of]->dtype));
}

static gboolean
check_quantized (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *out, GError **error)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  const int scales[] = { in->x_scale, in->w_scale, in->y_scale };
  const TpTensor *y_zero = inputs[in->y_zero];
  const TpTensor *bias = tp_integer_get_tensor (node, inputs, in->bias);

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    if (tp_dtype_get (inputs[scales[i]]->dtype)->class != TP_CLASS_REAL)
      return tp_op_fail (node, error, "input %d is %s, scales are reals",
                         scales[i],
                         tp_dtype_get_name (inputs[scales[i]]->dtype));
  if (inputs[in->y_scale]->count != 1 || y_zero->count != 1)
    return tp_op_refuse (node, error, "the result has several scales or zero "
                         "points: only one of each is supported");
  if (!tp_dtype_is_quantized (y_zero->dtype))
    return tp_op_fail (node, error, "input %d (the zero point of the result) "
                       "is %s, no integer of 8 bits", in->y_zero,
                       tp_dtype_get_name (y_zero->dtype));
  if (bias != NULL && bias->dtype != TPLAN_DTYPE_INT32)
    return tp_op_fail (node, error, "input %d (the bias) is %s, not int32",
                       in->bias, tp_dtype_get_name (bias->dtype));
  out->dtype = y_zero->dtype;
  return TRUE;
}

gboolean
tp_integer_check_dtypes (const TpNode *node, const TpTensor *const *inputs,
                         TpShape *out, GError **error)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  const TpTensor *w = inputs[in->w];

  for (int i = 0; i < node->n_inputs; i++)
    if (inputs[i] == NULL && i != in->x_zero && i != in->w_zero
        && i != in->bias)
      return tp_op_fail (node, error, "input %d may not be left out", i);
  if (!is_small (inputs[0]) || !is_small (w))
    return tp_op_fail (node, error, "inputs 0 and %d are %s and %s, not int8 "
                       "or uint8", in->w, tp_dtype_get_name (inputs[0]->dtype),
                       tp_dtype_get_name (w->dtype));
  if (!check_zero (node, inputs, in->x_zero, 0, error)
      || !check_zero (node, inputs, in->w_zero, in->w, error))
    return FALSE;
  out->dtype = TPLAN_DTYPE_INT32;
  return in->y_scale < 0 || check_quantized (node, inputs, out, error);
}

/* ---- nests -------------------------------------------------------------- */

int
tp_integer_sum (TpLowering *lowering, int product)
{
  TpNest *nest = lowering->nest;
  int sum = tp_lowering_reduce (lowering, TP_COMBINE_SUM, product);

  if (nest->n_stages > 0)
    nest->stages[0].is_small = lowering->node->has_small_sums;
  return sum;
}

int
tp_integer_finish (TpLowering *lowering, int sum, const int *scales)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (lowering->node);
  TpNest *nest = lowering->nest;
  int factor, zero;

  if (in->y_scale < 0)
    return sum;
  factor = tp_nest_binary (nest, TP_EXPR_MUL, scales[0], scales[1]);
  factor = tp_nest_unscale (nest, factor,
                            tp_lowering_load_broadcast (lowering, in->y_scale));
  zero = tp_nest_convert (nest,
                          tp_lowering_load_broadcast (lowering, in->y_zero),
                          TPLAN_DTYPE_FLOAT32);
  sum = tp_nest_convert (nest, sum, TPLAN_DTYPE_FLOAT32);
  return tp_nest_quantize (nest,
                           tp_nest_binary (nest, TP_EXPR_MUL, sum, factor),
                           zero, lowering->out->dtype);
}

/* ---- references --------------------------------------------------------- */

double *
tp_integer_shift (const TpRefTensor *input, const TpRefTensor *zero,
                  gint64 (*pick) (const TpRefTensor *input,
                                  const TpRefTensor *zero, gint64 i))
{
  double *values = tp_new (double, input->count + 1);

  for (gint64 i = 0; i < input->count; i++)
    values[i] = input->data[i]
                - (zero == NULL      ? 0.0
                   : zero->count == 1 ? zero->data[0]
                                      : zero->data[pick (input, zero, i)]);
  return values;
}

double
tp_integer_requantize (const TpNode *node, const TpRefTensor *const *inputs,
                       double sum, const double *scales)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  const TpRefTensor *y = in->y_scale < 0 ? NULL : inputs[in->y_scale];
  double factor;

  if (y == NULL)
    return sum;
  factor = tp_quantize_round (scales[0] * scales[1], y->dtype);
  factor = tp_quantize_round (factor / y->data[0], y->dtype);
  sum = tp_quantize_round (sum, y->dtype);
  return tp_quantize_number (tp_quantize_round (sum * factor, y->dtype),
                             inputs[in->y_zero]->data[0],
                             inputs[in->y_zero]->dtype);
}
