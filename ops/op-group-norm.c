/* op-group-norm.c: GroupNormalization: as LayerNormalization, of groups of channels.
 *
 * The channels are two axes, groups and those within one. From opset 21 on a channel
 * has a scale and a bias of its own, before that a group has. */
#include "config.h"

#include "ops/moment.h"

#include <math.h>

enum
{
  AXIS_BATCH,
  AXIS_GROUP,
  AXIS_CHANNEL,
};

/* How many there are; FALSE with an error: they do not divide the channels. */
static gboolean
get_groups (const TpNode *node, const gint64 *dims, gint64 *out_n,
            GError **error)
{
  *out_n = tp_node_get_int (node, "num_groups", 0);
  return (*out_n > 0 && dims[1] % *out_n == 0)
         || tp_op_fail (node, error,
                        "num_groups is %" G_GINT64_FORMAT
                        ", which does not divide %" G_GINT64_FORMAT " channels",
                        *out_n, dims[1]);
}

static gboolean
group_norm_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 stash = tp_node_get_int (node, "stash_type", 1);
  gint64 n = 0;

  if (stash != 1)
    return tp_op_refuse (node, error,
                         "stash_type %" G_GINT64_FORMAT
                         " is not supported, 1 (float32) is",
                         stash);
  if (x->rank < 3)
    return tp_op_fail (node, error, "input 0 has rank %d, at least 3 is needed",
                       x->rank);
  if (!get_groups (node, x->dims, &n, error))
    return FALSE;
  if (node->opset >= 21)
    n = x->dims[1];
  for (int i = 1; i < 3; i++)
    if (inputs[i]->rank != 1 || inputs[i]->dims[0] != n)
      return tp_op_fail (node, error,
                         "input %d (%s) must be a list of %" G_GINT64_FORMAT
                         " elements, one per %s",
                         i, i == 1 ? "scale" : "bias", n,
                         node->opset >= 21 ? "channel" : "group");
  return tp_infer_one_dtype (node, inputs, error)
         && tp_infer_same (node, inputs, outputs, error);
}

/* Axes: batch and groups, then what is reduced; at least one is. */
static void
set_strides (TpAccess *access, const TpTensor *x, gint64 n_groups)
{
  access->stride[AXIS_BATCH] = x->strides[0];
  access->stride[AXIS_GROUP] = x->dims[1] / n_groups * x->strides[1];
  for (int i = 1; i < x->rank; i++)
    access->stride[AXIS_CHANNEL + i - 1] = x->strides[i];
}

/* Expression: what input @i has for the channel, or the group. */
static int
load_factor (TpLowering *lowering, int i, gint64 n_groups)
{
  const TpTensor *input = tp_lowering_get_input (lowering, i);
  gint64 per_group = input->dims[0] / n_groups;
  TpAccess *load = tp_lowering_add_load (lowering, i);

  load->stride[AXIS_GROUP] = per_group * input->strides[0];
  load->stride[AXIS_CHANNEL] = lowering->node->opset >= 21 ? input->strides[0]
                                                           : 0;
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static gboolean
group_norm_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpMoments moments = { .epsilon = tp_node_get_float (node, "epsilon", 1e-5) };
  TpNest *nest = lowering.nest;
  gint64 n_groups = 0;
  int result = -1;

  if (!get_groups (node, x->dims, &n_groups, error))
    return FALSE;
  moments.n = tp_dims_product (x->dims, 1, x->rank) / n_groups;
  tp_nest_add_axis (nest, x->dims[0], FALSE);
  tp_nest_add_axis (nest, n_groups, FALSE);
  tp_nest_add_axis (nest, x->dims[1] / n_groups, TRUE);
  for (int i = 2; i < x->rank; i++)
    tp_nest_add_axis (nest, x->dims[i], TRUE);
  set_strides (tp_lowering_add_load (&lowering, 0), x, n_groups);
  set_strides (&nest->store, lowering.out, n_groups);
  result = tp_nest_load (nest, 0);
  result = tp_nest_binary (nest, TP_EXPR_SUB, result,
                           tp_moments_mean_expr (nest, &moments, result));
  result = tp_nest_binary (nest, TP_EXPR_MUL, result,
                           tp_moments_inverse_expr (nest, &moments, result));
  result = tp_nest_binary (nest, TP_EXPR_MUL, result,
                           load_factor (&lowering, 1, n_groups));
  result = tp_nest_binary (nest, TP_EXPR_ADD, result,
                           load_factor (&lowering, 2, n_groups));
  return tp_lowering_finish (&lowering, result);
}

static void
group_norm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  double epsilon = tp_node_get_float (node, "epsilon", 1e-5);
  gint64 n_groups = tp_node_get_int (node, "num_groups", 0);
  gint64 n = x->count / (x->dims[0] * n_groups);
  gint64 plane = tp_dims_product (x->dims, 2, x->rank);

  for (gint64 first = 0; first < x->count; first += n)
    {
      double mean = 0.0, variance = 0.0;

      for (gint64 i = first; i < first + n; i++)
        mean += x->data[i] / n;
      for (gint64 i = first; i < first + n; i++)
        variance += (x->data[i] - mean) * (x->data[i] - mean) / n;
      for (gint64 i = first; i < first + n; i++)
        {
          gint64 k = node->opset >= 21 ? i / plane % x->dims[1]
                                       : i / n % n_groups;

          outputs[0].data[i] = (x->data[i] - mean) / sqrt (variance + epsilon)
                                   * inputs[1]->data[k]
                               + inputs[2]->data[k];
        }
    }
}

static const TpAttrSpec group_norm_attrs[] = {
  { "epsilon", TP_ATTR_FLOAT, FALSE },
  { "num_groups", TP_ATTR_INT, TRUE },
  { "stash_type", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_group_normalization = {
  .name = "GroupNormalization",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = group_norm_attrs,
  .tolerance = 1e-5,
  .infer = group_norm_infer,
  .lower = group_norm_lower,
  .reference = group_norm_reference,
};
