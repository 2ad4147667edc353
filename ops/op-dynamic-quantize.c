/* op-dynamic-quantize.c: DynamicQuantizeLinear: reals as uint8, by a scale and a zero
 * point that make the most of what they are. */
#include "config.h"

#include "ops/op-quantize.h"

#include <math.h>

enum { OUT_Y, OUT_SCALE, OUT_ZERO };

static gboolean
dynamic_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];

  if (x->dtype != TPLAN_DTYPE_FLOAT32)
    return tp_op_fail (node, error, "input 0 is %s, not float32",
                       tp_dtype_get_name (x->dtype));
  if (node->n_outputs != 3)
    return tp_op_fail (node, error, "it has %d outputs, not the 3 of ONNX",
                       node->n_outputs);
  tp_shape_copy (&outputs[OUT_Y], x);
  outputs[OUT_Y].dtype = outputs[OUT_ZERO].dtype = TPLAN_DTYPE_UINT8;
  outputs[OUT_SCALE].dtype = x->dtype;
  outputs[OUT_SCALE].rank = outputs[OUT_ZERO].rank = 0;
  return TRUE;
}

/* ---- nests -------------------------------------------------------------- */

/* The least of all elements, or the most of them, and of 0. */
static int
extreme (TpLowering *lowering, TpCombiner combiner)
{
  TpNest *nest = lowering->nest;
  int value = tp_lowering_reduce (lowering, combiner, tp_nest_load (nest, 0));

  return tp_nest_binary (nest,
                         combiner == TP_COMBINE_MAX ? TP_EXPR_MAX
                                                    : TP_EXPR_MIN,
                         value, tp_nest_const (nest, 0.0));
}

static void
add_elements (TpLowering *lowering)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);

  for (int i = 0; i < x->rank; i++)
    {
      int axis = tp_lowering_add_reduce_axis (lowering, x->dims[i]);

      if (axis >= 0)
        load->stride[axis] = x->strides[i];
    }
}

/* Where all elements are 0, it is 1. */
static void
lower_scale (const TpGraph *graph, const TpNode *node, TpLowered *lowered)
{
  g_auto (TpLowering) lowering
      = tp_lowering_new_output (graph, node, lowered, OUT_SCALE);
  TpNest *nest = lowering.nest;
  int high, low, scale;

  add_elements (&lowering);
  high = extreme (&lowering, TP_COMBINE_MAX);
  low = extreme (&lowering, TP_COMBINE_MIN);
  scale = tp_nest_binary (nest, TP_EXPR_DIV,
                          tp_nest_binary (nest, TP_EXPR_SUB, high, low),
                          tp_nest_const (nest, G_MAXUINT8));
  tp_lowering_finish (
      &lowering, tp_nest_select (nest,
                                 tp_nest_binary (nest, TP_EXPR_EQUAL, high, low),
                                 tp_nest_const (nest, 1.0), scale));
}

/* An expression of the output @i, which a nest before wrote. */
static int
load_output (TpLowering *lowering, int i)
{
  int tensor = lowering->node->outputs[i];
  int operand
      = tp_lowered_get_tensor (lowering->lowered, lowering->graph, tensor);
  TpAccess *load = tp_nest_add_load (lowering->nest, operand);

  load->dtype = lowering->graph->tensors[tensor].dtype;
  return tp_nest_convert (
      lowering->nest,
      tp_nest_load (lowering->nest, lowering->nest->n_loads - 1),
      TPLAN_DTYPE_FLOAT32);
}

static void
lower_zero (const TpGraph *graph, const TpNode *node, TpLowered *lowered)
{
  g_auto (TpLowering) lowering
      = tp_lowering_new_output (graph, node, lowered, OUT_ZERO);
  TpNest *nest = lowering.nest;
  int low;

  add_elements (&lowering);
  low = extreme (&lowering, TP_COMBINE_MIN);
  low = tp_nest_binary (nest, TP_EXPR_DIV, low,
                        load_output (&lowering, OUT_SCALE));
  tp_lowering_finish (&lowering,
                      tp_nest_quantize (nest,
                                        tp_nest_unary (nest, TP_EXPR_NEG, low),
                                        -1, lowering.out->dtype));
}

static gboolean
dynamic_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) lowering = { 0 };
  int value;

  lower_scale (graph, node, lowered);
  lower_zero (graph, node, lowered);
  lowering = tp_lowering_new (graph, node, lowered);
  tp_lowering_add_output_axes (&lowering);
  value = tp_lowering_load_broadcast (&lowering, 0);
  value = tp_nest_binary (lowering.nest, TP_EXPR_DIV, value,
                          load_output (&lowering, OUT_SCALE));
  return tp_lowering_finish (
      &lowering, tp_nest_quantize (lowering.nest, value,
                                   load_output (&lowering, OUT_ZERO),
                                   lowering.out->dtype));
}

/* ---- reference ---------------------------------------------------------- */

/* Each step in the type of x, where the halves come from that are rounded. */
static double
step (const TpRefTensor *x, double value)
{
  tp_dtype_round (x->dtype, &value, 1);
  return value;
}

static void
dynamic_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  TpRefTensor *y = &outputs[OUT_Y];
  double high = 0.0, low = 0.0, scale, zero;

  for (gint64 i = 0; i < x->count; i++)
    {
      high = fmax (high, step (x, x->data[i]));
      low = fmin (low, step (x, x->data[i]));
    }
  scale = high == low ? 1.0
                      : step (x, step (x, high - low) / G_MAXUINT8);
  zero = tp_quantize_number (step (x, -low / scale), 0.0, y->dtype);
  for (gint64 i = 0; i < x->count; i++)
    y->data[i] = tp_quantize_number (
        step (x, step (x, x->data[i]) / scale), zero, y->dtype);
  outputs[OUT_SCALE].data[0] = scale;
  outputs[OUT_ZERO].data[0] = zero;
}

const TpOp tp_op_dynamic_quantize_linear = {
  .name = "DynamicQuantizeLinear",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 3,
  .tolerance = 1e-6,
  .infer = dynamic_infer,
  .lower = dynamic_lower,
  .reference = dynamic_reference,
};
