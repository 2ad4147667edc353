/* op-norm.c: BatchNormalization (inference), ScaleShift, and LRN. */
#include "config.h"

#include "ops/op-util.h"

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
  if (node->n_outputs > 1)
    return tp_op_refuse (node, error, "running statistics, its %d other "
                         "outputs, are not computed: export for inference",
                         node->n_outputs - 1);
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
  return tp_infer_alike (node, inputs, error)
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
  .n_outputs_max = 5,
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
  return tp_infer_alike (node, inputs, error)
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

/* ---- LRN: x / (bias + alpha / size * sum of squares nearby) ^ beta ---------
 *
 * Nearby are @size channels around the own one. */

static gboolean
lrn_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  gint64 size = tp_node_get_int (node, "size", 0);

  if (size < 1 || size > G_MAXINT32)
    return tp_op_fail (node, error, "size %" G_GINT64_FORMAT
                       " is no number of channels", size);
  if (inputs[0]->rank < 2)
    return tp_op_fail (node, error, "input 0 has rank %d, at least 2 is needed",
                       inputs[0]->rank);
  return tp_infer_same (node, inputs, outputs, error);
}

static gboolean
lrn_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
           GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gint64 size = tp_node_get_int (node, "size", 0);
  gint64 before = (size - 1) / 2;
  TpNest *nest = lowering.nest;
  int value = -1;
  int sum = -1;
  int k = -1;
  TpAccess *near = NULL;

  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, size);
  value = tp_lowering_load_broadcast (&lowering, 0);
  near = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    near->stride[i] = x->strides[i];
  near->offset = -before * x->strides[1];
  near->n_guards = 1;
  near->guards[0].coef[1] = 1;
  near->guards[0].offset = -before;
  near->guards[0].extent = x->dims[1];
  if (k >= 0)
    near->stride[k] = x->strides[1];
  if (k >= 0)
    near->guards[0].coef[k] = 1;
  sum = tp_nest_load (nest, nest->n_loads - 1);
  sum = tp_lowering_reduce (&lowering, TP_COMBINE_SUM,
                            tp_nest_binary (nest, TP_EXPR_MUL, sum, sum));
  sum = tp_nest_binary (
      nest, TP_EXPR_MUL, sum,
      tp_nest_const (nest, tp_node_get_float (node, "alpha", 1e-4) / size));
  sum = tp_nest_binary (
      nest, TP_EXPR_ADD, sum,
      tp_nest_const (nest, tp_node_get_float (node, "bias", 1.0)));
  sum = tp_nest_binary (
      nest, TP_EXPR_POW, sum,
      tp_nest_const (nest, tp_node_get_float (node, "beta", 0.75)));
  return tp_lowering_finish (&lowering,
                             tp_nest_binary (nest, TP_EXPR_DIV, value, sum));
}

static void
lrn_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 size = tp_node_get_int (node, "size", 0);
  double alpha = tp_node_get_float (node, "alpha", 1e-4);
  double beta = tp_node_get_float (node, "beta", 0.75);
  double bias = tp_node_get_float (node, "bias", 1.0);
  gint64 plane = tp_dims_product (x->dims, 2, x->rank);

  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 channel = i / plane % x->dims[1];
      double sum = 0.0;

      for (gint64 c = MAX (0, channel - (size - 1) / 2);
           c <= MIN (x->dims[1] - 1, channel + size / 2); c++)
        sum += pow (x->data[i + (c - channel) * plane], 2.0);
      outputs[0].data[i] = x->data[i] / pow (bias + alpha / size * sum, beta);
    }
}

static const TpAttrSpec lrn_attrs[] = {
  { "alpha", TP_ATTR_FLOAT, FALSE }, { "beta", TP_ATTR_FLOAT, FALSE },
  { "bias", TP_ATTR_FLOAT, FALSE },  { "size", TP_ATTR_INT, TRUE },
  { 0 },
};

const TpOp tp_op_lrn = {
  .name = "LRN",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = lrn_attrs,
  .tolerance = 1e-5,
  .infer = lrn_infer,
  .lower = lrn_lower,
  .reference = lrn_reference,
};
