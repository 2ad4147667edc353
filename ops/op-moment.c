/* op-moment.c: normalization by mean and variance over some dimensions:
 * LayerNormalization, RMSNormalization, InstanceNormalization,
 * MeanVarianceNormalization. */
#include "config.h"

#include "ir/guard.h"
#include "ops/moment.h"
#include "ops/op-util.h"

#include <math.h>
#include <string.h>

/* ---- LayerNormalization ------------------------------------------------- */

static gboolean
layer_norm_init (TpMoments *moments, const TpNode *node, int rank,
                 const gint64 *dims, GError **error)
{
  int axis = 0;

  memset (moments, 0, sizeof *moments);
  if (!tp_node_get_axis (node, -1, rank, &axis, error))
    return FALSE;
  for (int i = axis; i < rank; i++)
    moments->is_reduced[i] = TRUE;
  moments->epsilon = tp_node_get_float (node, "epsilon", 1e-5);
  tp_moments_count (moments, rank, dims);
  return TRUE;
}

/* Scale and bias broadcast to input 0. */
static gboolean
layer_norm_check (const TpNode *node, const TpTensor *x, const TpTensor *scale,
                  int index, GError **error)
{
  int first = x->rank - scale->rank;
  gboolean fits = first >= 0;

  for (int i = 0; fits && i < scale->rank; i++)
    fits = scale->dims[i] == 1 || scale->dims[i] == x->dims[first + i];
  if (!fits)
    {
      g_autofree char *own = tp_dims_to_text (scale->rank, scale->dims);
      g_autofree char *wanted = tp_dims_to_text (x->rank, x->dims);

      return tp_op_fail (node, error,
                         "input %d has shape %s, which does not broadcast to "
                         "%s",
                         index, own, wanted);
    }
  return TRUE;
}

static gboolean
layer_norm_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 stash = tp_node_get_int (node, "stash_type", 1);
  TpMoments moments;

  if (stash != 1)
    return tp_op_refuse (node, error,
                         "stash_type %" G_GINT64_FORMAT
                         " is not supported, 1 (float32) is",
                         stash);
  if (!layer_norm_init (&moments, node, x->rank, x->dims, error)
      || !tp_infer_one_dtype (node, inputs, error))
    return FALSE;
  for (int i = 1; i < node->n_inputs; i++)
    if (inputs[i] != NULL && !layer_norm_check (node, x, inputs[i], i, error))
      return FALSE;
  tp_shape_copy (&outputs[0], x);
  for (int i = 1; i < node->n_outputs; i++)
    {
      tp_shape_copy (&outputs[i], x);
      outputs[i].dtype = TPLAN_DTYPE_FLOAT32;
      for (int k = 0; k < x->rank; k++)
        if (moments.is_reduced[k])
          outputs[i].dims[k] = 1;
    }
  return TRUE;
}

static gboolean
layer_norm_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpMoments moments;

  if (!layer_norm_init (&moments, node, x->rank, x->dims, error))
    return FALSE;
  for (int i = 1; i < node->n_outputs; i++)
    {
      const TpTensor *out = &graph->tensors[node->outputs[i]];
      g_auto (TpLowering) statistic = { 0 };

      if (!out->is_output && out->n_consumers == 0)
        continue;
      statistic = tp_lowering_new (graph, node, lowered);
      tp_moments_lower_statistic (&statistic, &moments, i);
    }
  return tp_moments_lower (&lowering, &moments, x->rank - 1);
}

static void
layer_norm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  g_autofree double *means = tp_new (double, x->count + 1);
  g_autofree double *deviations = tp_new (double, x->count + 1);
  gint64 at[TP_MAX_RANK] = { 0 };
  TpMoments moments;

  if (!layer_norm_init (&moments, node, x->rank, x->dims, NULL))
    g_assert_not_reached ();
  tp_moments_measure (x, &moments, means, deviations);
  tp_moments_normalize (x, &moments, means, deviations, outputs[0].data);
  for (gint64 i = 0; i < x->count; i++)
    {
      outputs[0].data[i] *= tp_reference_get_broadcast (inputs[1], x, at);
      if (tp_node_has_input (node, 2))
        outputs[0].data[i] += tp_reference_get_broadcast (inputs[2], x, at);
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; node->n_outputs > 1 && i < outputs[1].count; i++)
    outputs[1].data[i] = means[i];
  for (gint64 i = 0; node->n_outputs > 2 && i < outputs[2].count; i++)
    outputs[2].data[i] = 1.0 / deviations[i];
}

static const TpAttrSpec layer_norm_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "epsilon", TP_ATTR_FLOAT, FALSE },
  { "stash_type", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_layer_normalization = {
  .name = "LayerNormalization",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 2,
  .n_inputs_max = 3,
  .n_outputs_max = 3,
  .attrs = layer_norm_attrs,
  .tolerance = 1e-5,
  .infer = layer_norm_infer,
  .lower = layer_norm_lower,
  .reference = layer_norm_reference,
};

/* ---- RMSNormalization: x over the root of the mean of its square ----------- */

static gboolean
rms_norm_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpMoments moments;

  if (!layer_norm_init (&moments, node, x->rank, x->dims, error))
    return FALSE;
  moments.is_about_zero = TRUE;
  return tp_moments_lower (&lowering, &moments, x->rank - 1);
}

static void
rms_norm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  double epsilon = tp_node_get_float (node, "epsilon", 1e-5);
  gint64 at[TP_MAX_RANK] = { 0 };
  gint64 n = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, -1, x->rank, &axis, NULL))
    g_assert_not_reached ();
  n = tp_dims_product (x->dims, axis, x->rank);
  for (gint64 first = 0; first < x->count; first += n)
    {
      double sum = 0.0;

      for (gint64 i = first; i < first + n; i++)
        sum += x->data[i] * x->data[i];
      for (gint64 i = first; i < first + n; i++)
        {
          outputs[0].data[i] = x->data[i] / sqrt (sum / n + epsilon)
                               * tp_reference_get_broadcast (inputs[1], x, at);
          tp_dims_next (x->rank, x->dims, at);
        }
    }
}

const TpOp tp_op_rms_normalization = {
  .name = "RMSNormalization",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = layer_norm_attrs,
  .tolerance = 1e-5,
  .infer = layer_norm_infer,
  .lower = rms_norm_lower,
  .reference = rms_norm_reference,
};

/* ---- InstanceNormalization ---------------------------------------------- */

static void
instance_norm_init (TpMoments *moments, const TpNode *node, int rank,
                    const gint64 *dims)
{
  memset (moments, 0, sizeof *moments);
  for (int i = 2; i < rank; i++)
    moments->is_reduced[i] = TRUE;
  moments->epsilon = tp_node_get_float (node, "epsilon", 1e-5);
  tp_moments_count (moments, rank, dims);
}

static gboolean
instance_norm_infer (const TpNode *node, const TpTensor *const *inputs,
                     TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];

  if (x->rank < 3)
    return tp_op_fail (node, error, "input 0 has rank %d, at least 3 is needed",
                       x->rank);
  for (int i = 1; i < 3; i++)
    if (inputs[i] == NULL || inputs[i]->rank != 1
        || inputs[i]->dims[0] != x->dims[1])
      return tp_op_fail (node, error,
                         "input %d (%s) must be a list of %" G_GINT64_FORMAT
                         " elements, one per channel",
                         i, i == 1 ? "scale" : "bias", x->dims[1]);
  return tp_infer_one_dtype (node, inputs, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static gboolean
instance_norm_lower (const TpGraph *graph, const TpNode *node,
                     TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpMoments moments;

  instance_norm_init (&moments, node, x->rank, x->dims);
  return tp_moments_lower (&lowering, &moments, 1);
}

static void
instance_norm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                         TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  g_autofree double *means = tp_new (double, x->count + 1);
  g_autofree double *deviations = tp_new (double, x->count + 1);
  TpMoments moments;

  instance_norm_init (&moments, node, x->rank, x->dims);
  tp_moments_measure (x, &moments, means, deviations);
  tp_moments_normalize (x, &moments, means, deviations, outputs[0].data);
  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 channel = i / moments.n % x->dims[1];

      outputs[0].data[i] = outputs[0].data[i] * inputs[1]->data[channel]
                           + inputs[2]->data[channel];
    }
}

static const TpAttrSpec instance_norm_attrs[] = {
  { "epsilon", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_instance_normalization = {
  .name = "InstanceNormalization",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = instance_norm_attrs,
  .tolerance = 1e-5,
  .infer = instance_norm_infer,
  .lower = instance_norm_lower,
  .reference = instance_norm_reference,
};

/* ---- MeanVarianceNormalization ------------------------------------------ */

static gboolean
mvn_init (TpMoments *moments, const TpNode *node, int rank, const gint64 *dims,
          GError **error)
{
  static const gint64 usual[] = { 0, 2, 3 };
  int n = 0;
  const gint64 *axes = tp_node_get_ints (node, "axes", &n);

  memset (moments, 0, sizeof *moments);
  if (tp_node_find_attr (node, "axes") == NULL)
    {
      axes = usual;
      n = G_N_ELEMENTS (usual);
    }
  for (int i = 0; i < n; i++)
    {
      int axis = 0;

      if (!tp_axis_resolve (node, axes[i], rank, &axis, error))
        return FALSE;
      moments->is_reduced[axis] = TRUE;
    }
  if (n == 0)
    return tp_op_fail (node, error, "'axes' is empty: name at least one");
  moments->root_epsilon = 1e-9;
  tp_moments_count (moments, rank, dims);
  return TRUE;
}

static gboolean
mvn_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  TpMoments moments;

  return mvn_init (&moments, node, inputs[0]->rank, inputs[0]->dims, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static gboolean
mvn_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
           GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpMoments moments;

  return mvn_init (&moments, node, x->rank, x->dims, error)
         && tp_moments_lower (&lowering, &moments, -1);
}

static void
mvn_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  g_autofree double *means = tp_new (double, x->count + 1);
  g_autofree double *deviations = tp_new (double, x->count + 1);
  TpMoments moments;

  if (!mvn_init (&moments, node, x->rank, x->dims, NULL))
    g_assert_not_reached ();
  tp_moments_measure (x, &moments, means, deviations);
  tp_moments_normalize (x, &moments, means, deviations, outputs[0].data);
}

static const TpAttrSpec mvn_attrs[] = {
  { "axes", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_mean_variance_normalization = {
  .name = "MeanVarianceNormalization",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = mvn_attrs,
  .tolerance = 1e-4,          /* a spread of few values may be small */
  .infer = mvn_infer,
  .lower = mvn_lower,
  .reference = mvn_reference,
};
