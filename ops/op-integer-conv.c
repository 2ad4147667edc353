/* op-integer-conv.c: ConvInteger and QLinearConv: convolutions of small integers. The
 * zero point and the scale of the filters are one, or of each filter; padding is the zero
 * point of x. */
#include "config.h"

#include "ops/op-conv.h"
#include "ops/op-integer.h"
#include "ops/op-quantize.h"

/* ---- shapes ------------------------------------------------------------- */

static gboolean
check_param (const TpNode *node, const TpTensor *const *inputs, int i,
             gint64 n_most, GError **error)
{
  const TpTensor *param = tp_integer_get_tensor (node, inputs, i);

  if (param == NULL || param->count == 1
      || (param->rank == 1 && param->dims[0] == n_most))
    return TRUE;
  if (n_most == 1)
    return tp_op_fail (node, error, "input %d has %" G_GINT64_FORMAT
                       " elements, it is one number", i, param->count);
  return tp_op_fail (node, error, "input %d has %" G_GINT64_FORMAT
                     " elements: it has one, or one for each of %"
                     G_GINT64_FORMAT " filters", i, param->count, n_most);
}

static gboolean
integer_conv_infer (const TpNode *node, const TpTensor *const *inputs,
                    TpShape *outputs, GError **error)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  TpConvTensors tensors
      = { inputs[0], inputs[in->w],
          tp_integer_get_tensor (node, inputs, in->bias) };
  gint64 n_filters = 0;

  if (!tp_integer_check_dtypes (node, inputs, &outputs[0], error)
      || !tp_conv_infer_shape (node, &tensors, &outputs[0], error))
    return FALSE;
  n_filters = tensors.w->dims[0];
  return check_param (node, inputs, in->x_zero, 1, error)
         && check_param (node, inputs, in->x_scale, 1, error)
         && check_param (node, inputs, in->w_zero, n_filters, error)
         && check_param (node, inputs, in->w_scale, n_filters, error);
}

/* ---- nests -------------------------------------------------------------- */

/* Input @i, one number or of each filter; -1: left out. */
static int
load_param (TpLowering *lowering, const TpConvAxes *axes, int i)
{
  const TpTensor *param = i < 0 ? NULL : tp_lowering_get_input (lowering, i);

  if (param == NULL)
    return -1;
  if (param->count == 1)
    return tp_lowering_load_broadcast (lowering, i);
  tp_conv_load_filter (lowering, axes, i);
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

/* x less its zero point; 0 where there is padding. */
static int
shifted_x (TpLowering *lowering, const TpConvAxes *axes)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (lowering->node);
  TpNest *nest = lowering->nest;
  int x = tp_nest_load (nest, 0);
  int zero = load_param (lowering, axes, in->x_zero);
  int shifted = tp_nest_shift (nest, x, zero);

  if (shifted == x || nest->loads[0].n_guards == 0)
    return shifted;
  return tp_nest_select (nest, tp_nest_inside (nest, 0), shifted,
                         tp_nest_const_integer (nest, 0));
}

static gboolean
integer_conv_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  TpNest *nest = lowering.nest;
  TpConvAxes axes;
  int scales[2], sum, w, bias;

  if (!tp_conv_add_loads (&lowering, in->w, &axes, error))
    return FALSE;
  w = tp_nest_shift (nest, tp_nest_load (nest, 1),
                     load_param (&lowering, &axes, in->w_zero));
  sum = tp_nest_binary (nest, TP_EXPR_MUL, shifted_x (&lowering, &axes), w);
  sum = tp_integer_sum (&lowering, sum);
  bias = load_param (&lowering, &axes, in->bias);
  if (node->has_small_sums && in->y_scale >= 0)
    {
      /* so is the bias, and both together */
      sum = tp_nest_convert (nest, sum, TPLAN_DTYPE_FLOAT32);
      bias = bias < 0 ? -1 : tp_nest_convert (nest, bias, TPLAN_DTYPE_FLOAT32);
    }
  if (bias >= 0)
    sum = tp_nest_binary (nest, TP_EXPR_ADD, sum, bias);
  scales[0] = load_param (&lowering, &axes, in->x_scale);
  scales[1] = load_param (&lowering, &axes, in->w_scale);
  return tp_lowering_finish (&lowering,
                             tp_integer_finish (&lowering, sum, scales));
}

/* ---- reference ---------------------------------------------------------- */

static gint64
pick_of_filter (const TpRefTensor *w, const TpRefTensor *zero, gint64 i)
{
  return i / tp_dims_product (w->dims, 1, w->rank);
}

static void
integer_conv_reference (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs)
{
  const TpIntegerInputs *in = tp_integer_get_inputs (node);
  TpRefTensor x = *inputs[0], w = *inputs[in->w];
  TpRefTensor *out = &outputs[0];
  const TpRefTensor *w_scale = in->w_scale < 0 ? NULL : inputs[in->w_scale];
  gint64 plane = tp_dims_product (out->dims, 2, out->rank);
  g_autofree double *x_values = tp_integer_shift (
      &x, tp_node_has_input (node, in->x_zero) ? inputs[in->x_zero] : NULL,
      NULL);
  g_autofree double *w_values = tp_integer_shift (
      &w, tp_node_has_input (node, in->w_zero) ? inputs[in->w_zero] : NULL,
      pick_of_filter);
  TpConvValues values = { &x, &w, NULL };

  x.data = x_values;
  w.data = w_values;
  if (in->bias >= 0 && tp_node_has_input (node, in->bias))
    values.bias = inputs[in->bias]->data;
  tp_conv_reference (node, &values, out);
  for (gint64 i = 0; w_scale != NULL && i < out->count; i++)
    {
      gint64 filter = i / plane % w.dims[0];
      double scales[] = { inputs[in->x_scale]->data[0],
                          w_scale->data[w_scale->count == 1 ? 0 : filter] };

      out->data[i]
          = tp_integer_requantize (node, inputs, out->data[i], scales);
    }
}

/* ---- records ------------------------------------------------------------ */

#define INTEGER_CONV                                                          \
  .kind = TP_OP_CONTRACT, .n_outputs_max = 1,                                 \
  .flags = TP_OP_CHANNELS_LAST | TP_OP_OF_BYTES,                              \
  .attrs = tp_conv_attrs, .tolerance = 0.0, .infer = integer_conv_infer,      \
  .lower = integer_conv_lower, .reference = integer_conv_reference

static const TpIntegerInputs plain = TP_INTEGER_PLAIN;

const TpOp tp_op_conv_integer = {
  .name = "ConvInteger",
  INTEGER_CONV,
  .n_inputs_min = 2,
  .n_inputs_max = 4,
  .data = &plain,
};

static const TpIntegerInputs quantized
    = { .w = 3, .x_zero = 2, .w_zero = 5, .x_scale = 1, .w_scale = 4,
        .y_scale = 6, .y_zero = 7, .bias = 8 };

const TpOp tp_op_qlinear_conv = {
  .name = "QLinearConv",
  INTEGER_CONV,
  .n_inputs_min = 8,
  .n_inputs_max = 9,
  .data = &quantized,
};
