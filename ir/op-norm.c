/* op-norm.c: BatchNormalization (inference), ScaleShift and Softmax. */
#include "config.h"

#include "ir/op-util.h"

#include <math.h>
#include <string.h>

/* ---- BatchNormalization ------------------------------------------------- */

static gboolean
batch_norm_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  static const char *const names[] = { "", "scale", "bias", "mean",
                                       "variance" };
  const TpTensor *x = inputs[0];

  if (tp_node_get_int (node, "training_mode", 0) != 0
      || tp_node_get_int (node, "is_test", 1) == 0)
    return tp_op_refuse (node, error,
                         "training mode is set: export for inference");
  if (tp_node_get_int (node, "spatial", 1) == 0)
    return tp_op_refuse (node, error, "spatial = 0 is not supported");
  if (x->rank < 2)
    return tp_op_fail (node, error, "input 0 has rank %d, at least 2 is needed",
                       x->rank);
  for (int i = 1; i < 5; i++)
    if (inputs[i] == NULL || inputs[i]->rank != 1
        || inputs[i]->dims[0] != x->dims[1])
      return tp_op_fail (node, error,
                         "input %d (%s) has %" G_GINT64_FORMAT
                         " elements, input 0 has %" G_GINT64_FORMAT " channels",
                         i, names[i],
                         inputs[i] == NULL ? G_GINT64_CONSTANT (0)
                                           : inputs[i]->count,
                         x->dims[1]);
  return tp_infer_one_dtype (node, inputs, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static gboolean
batch_norm_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  TpNest *nest = lowering.nest;
  int x[5];
  int scale = -1;
  int shift = -1;

  tp_lowering_add_output_axes (&lowering);
  x[0] = tp_lowering_load_broadcast (&lowering, 0);
  for (int i = 1; i < 5; i++)
    {
      const TpTensor *input = tp_lowering_get_input (&lowering, i);

      tp_lowering_add_load (&lowering, i)->stride[1] = input->strides[0];
      x[i] = tp_nest_load (nest, nest->n_loads - 1);
    }
  scale = tp_nest_binary (
      nest, TP_EXPR_ADD, x[4],
      tp_nest_const (nest, tp_node_get_float (node, "epsilon", 1e-5)));
  scale = tp_nest_unary (nest, TP_EXPR_SQRT, scale);
  scale = tp_nest_binary (nest, TP_EXPR_DIV, x[1], scale);
  shift = tp_nest_binary (nest, TP_EXPR_MUL, x[3], scale);
  shift = tp_nest_binary (nest, TP_EXPR_SUB, x[2], shift);
  return tp_lowering_finish (
      &lowering,
      tp_nest_binary (nest, TP_EXPR_ADD,
                      tp_nest_binary (nest, TP_EXPR_MUL, x[0], scale), shift));
}

static void
batch_norm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  double epsilon = tp_node_get_float (node, "epsilon", 1e-5);
  gint64 plane = tp_dims_product (x->dims, 2, x->rank);

  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 c = i / plane % x->dims[1];

      outputs[0].data[i] = (x->data[i] - inputs[3]->data[c])
                               / sqrt (inputs[4]->data[c] + epsilon)
                               * inputs[1]->data[c]
                           + inputs[2]->data[c];
    }
}

static const TpAttrSpec batch_norm_attrs[] = {
  { "epsilon", TP_ATTR_FLOAT, FALSE },     { "is_test", TP_ATTR_INT, FALSE },
  { "momentum", TP_ATTR_FLOAT, FALSE },    { "spatial", TP_ATTR_INT, FALSE },
  { "training_mode", TP_ATTR_INT, FALSE }, { 0 },
};

const TpOp tp_op_batch_normalization = {
  .name = "BatchNormalization",
  .kind = TP_OP_MAP,
  .n_inputs_min = 5,
  .n_inputs_max = 5,
  .n_outputs_max = 1,
  .attrs = batch_norm_attrs,
  .domain = TP_DOMAIN_POSITIVE, /* the variance */
  .tolerance = 1e-5,
  .infer = batch_norm_infer,
  .lower = batch_norm_lower,
  .reference = batch_norm_reference,
};

/* ---- ScaleShift: x * scale + shift per channel ---------------------------
 *
 * What a BatchNormalization of constants is, its root and division done once;
 * put into graphs by tp_graph_simplify (). */

static gboolean
scale_shift_infer (const TpNode *node, const TpTensor *const *inputs,
                   TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];

  for (int i = 1; i < 3; i++)
    if (x->rank < 2 || inputs[i]->rank != 1 || inputs[i]->dims[0] != x->dims[1])
      return tp_op_fail (node, error,
                         "input %d has %" G_GINT64_FORMAT
                         " elements, which are not the channels of input 0",
                         i, inputs[i]->count);
  return tp_infer_one_dtype (node, inputs, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static gboolean
scale_shift_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                   GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  TpNest *nest = lowering.nest;
  int x[3];

  tp_lowering_add_output_axes (&lowering);
  x[0] = tp_lowering_load_broadcast (&lowering, 0);
  for (int i = 1; i < 3; i++)
    {
      tp_lowering_add_load (&lowering, i)->stride[1] =
          tp_lowering_get_input (&lowering, i)->strides[0];
      x[i] = tp_nest_load (nest, nest->n_loads - 1);
    }
  x[0] = tp_nest_binary (nest, TP_EXPR_MUL, x[0], x[1]);
  return tp_lowering_finish (&lowering,
                             tp_nest_binary (nest, TP_EXPR_ADD, x[0], x[2]));
}

static void
scale_shift_reference (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 plane = tp_dims_product (x->dims, 2, x->rank);

  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 c = i / plane % x->dims[1];

      outputs[0].data[i] = x->data[i] * inputs[1]->data[c] + inputs[2]->data[c];
    }
}

const TpOp tp_op_scale_shift = {
  .name = "ScaleShift",
  .kind = TP_OP_MAP,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .tolerance = 1e-6,
  .infer = scale_shift_infer,
  .lower = scale_shift_lower,
  .reference = scale_shift_reference,
};

/* ---- Softmax ------------------------------------------------------------ */

/* Before opset 13 all dimensions from axis on are one; from 13 on only axis
 * counts. */
static gboolean
softmax_get_axes (const TpNode *node, int rank, int *out_first, int *out_end,
                  GError **error)
{
  gboolean is_flat = node->opset < 13;

  if (!tp_node_get_axis (node, "axis", is_flat ? 1 : -1, rank, out_first,
                         error))
    return FALSE;
  *out_end = is_flat ? rank : *out_first + 1;
  return TRUE;
}

static gboolean
softmax_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  int first = 0;
  int end = 0;

  return softmax_get_axes (node, inputs[0]->rank, &first, &end, error)
         && tp_infer_same (node, inputs, outputs, error);
}

/* The reduce axes come last; those of extent 1 are left out, but one stays. */
static void
softmax_add_axes (TpLowering *lowering, int first, int end)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  const TpTensor *out = lowering->out;
  TpNest *nest = lowering->nest;
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  gboolean has_reduce = FALSE;

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < x->rank; i++)
      {
        gboolean is_reduce = i >= first && i < end;
        int axis = -1;

        if (is_reduce != pass
            || (is_reduce && x->dims[i] == 1 && (has_reduce || i + 1 < end)))
          continue;
        axis = tp_nest_add_axis (nest, x->dims[i], is_reduce);
        load->stride[axis] = x->strides[i];
        nest->store.stride[axis] = out->strides[i];
        has_reduce = has_reduce || is_reduce;
      }
}

static gboolean
softmax_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  TpNest *nest = lowering.nest;
  int first = 0;
  int end = 0;
  int value = -1;
  int sum = -1;

  if (!softmax_get_axes (node, lowering.out->rank, &first, &end, error))
    return FALSE;
  softmax_add_axes (&lowering, first, end);
  value = tp_nest_load (nest, 0);
  sum = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_MAX, value));
  value = tp_nest_binary (nest, TP_EXPR_SUB, value, sum);
  value = tp_nest_unary (nest, TP_EXPR_EXP, value);
  sum = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, value));
  return tp_lowering_finish (&lowering,
                             tp_nest_binary (nest, TP_EXPR_DIV, value, sum));
}

/* @n values @step apart */
static void
softmax_row (const double *x, double *out, gint64 n, gint64 step)
{
  double max = -INFINITY;
  double sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    max = fmax (max, x[i * step]);
  for (gint64 i = 0; i < n; i++)
    sum += exp (x[i * step] - max);
  for (gint64 i = 0; i < n; i++)
    out[i * step] = exp (x[i * step] - max) / sum;
}

static void
softmax_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  int first = 0;
  int end = 0;
  gint64 n = 0;
  gint64 step = 0;

  if (!softmax_get_axes (node, x->rank, &first, &end, NULL))
    g_assert_not_reached ();
  n = tp_dims_product (x->dims, first, end);
  step = tp_dims_product (x->dims, end, x->rank);
  for (gint64 i = 0; i < x->count / n; i++)
    {
      gint64 start = i / step * n * step + i % step;

      softmax_row (x->data + start, outputs[0].data + start, n, step);
    }
}

static const TpAttrSpec softmax_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_softmax = {
  .name = "Softmax",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = softmax_attrs,
  .tolerance = 1e-5,
  .infer = softmax_infer,
  .lower = softmax_lower,
  .reference = softmax_reference,
};
