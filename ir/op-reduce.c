/* op-reduce.c: reductions over whole dimensions, global pools among them. */
#include "config.h"

#include "ir/op-util.h"

#include <math.h>
#include <string.h>

/* ---- which dimensions -------------------------------------------------- */

typedef struct
{
  gboolean is_reduced[TP_MAX_RANK];
  gboolean keeps_dims;
  gint64 n; /* elements combined into one */
} Reduce;

static gboolean
reduce_set_axes (Reduce *reduce, const TpNode *node, int rank,
                 const gint64 *axes, int n_axes, GError **error)
{
  gboolean is_all =
      n_axes == 0 && tp_node_get_int (node, "noop_with_empty_axes", 0) == 0;

  memset (reduce, 0, sizeof *reduce);
  reduce->keeps_dims = tp_node_get_int (node, "keepdims", 1) != 0;
  for (int i = 0; i < rank; i++)
    reduce->is_reduced[i] = is_all;
  for (int i = 0; i < n_axes; i++)
    {
      int axis = 0;

      if (!tp_axis_resolve (node, axes[i], rank, &axis, error))
        return FALSE;
      if (reduce->is_reduced[axis])
        return tp_op_fail (node, error, "axis %d is named twice", axis);
      reduce->is_reduced[axis] = TRUE;
    }
  return TRUE;
}

/* Axes are an attribute, or input 1 (ReduceSum from opset 13, the others from
 * 18). */
static gboolean
reduce_init (Reduce *reduce, const TpNode *node, const TpTensor *const *inputs,
             GError **error)
{
  gint64 values[TP_MAX_RANK];
  int n = 0;
  const gint64 *axes = tp_node_get_ints (node, "axes", &n);

  if (tp_node_has_input (node, 1))
    {
      if (axes != NULL)
        return tp_op_fail (node, error,
                           "axes are given as attribute and as input 1");
      if (!tp_input_get_ints (node, inputs, 1, TP_MAX_RANK, values, &n, error))
        return FALSE;
      axes = values;
    }
  if (!reduce_set_axes (reduce, node, inputs[0]->rank, axes, n, error))
    return FALSE;
  reduce->n = 1;
  for (int i = 0; i < inputs[0]->rank; i++)
    if (reduce->is_reduced[i])
      reduce->n *= inputs[0]->dims[i];
  return TRUE;
}

static gboolean
reduce_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  Reduce reduce;

  if (!reduce_init (&reduce, node, inputs, error))
    return FALSE;
  out->dtype = x->dtype;
  out->rank = 0;
  for (int i = 0; i < x->rank; i++)
    if (!reduce.is_reduced[i])
      out->dims[out->rank++] = x->dims[i];
    else if (reduce.keeps_dims)
      out->dims[out->rank++] = 1;
  return TRUE;
}

static gboolean
global_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  if (inputs[0]->rank < 3)
    return tp_op_fail (node, error, "input 0 has rank %d, at least 3 is needed",
                       inputs[0]->rank);
  tp_shape_copy (&outputs[0], inputs[0]);
  for (int i = 2; i < inputs[0]->rank; i++)
    outputs[0].dims[i] = 1;
  return TRUE;
}

/* ---- nest -------------------------------------------------------------- */

static gboolean
reduce_add_axes (TpLowering *lowering, const Reduce *reduce, GError **error)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  int n_axes = lowering->out->rank;
  int axis = 0;

  for (int i = 0; i < x->rank; i++)
    n_axes += reduce->is_reduced[i] && x->dims[i] > 1;
  if (n_axes > TP_NEST_MAX_AXES)
    return tp_op_refuse (lowering->node, error,
                         "%d loops are needed, at most %d are possible: "
                         "reshape to fewer dimensions",
                         n_axes, TP_NEST_MAX_AXES);
  tp_lowering_add_output_axes (lowering);
  for (int i = 0; i < x->rank; i++)
    if (!reduce->is_reduced[i])
      load->stride[axis++] = x->strides[i];
    else if (reduce->keeps_dims)
      axis++;
  for (int i = 0; i < x->rank; i++)
    {
      int k = reduce->is_reduced[i]
                  ? tp_lowering_add_reduce_axis (lowering, x->dims[i])
                  : -1;

      if (k >= 0)
        load->stride[k] = x->strides[i];
    }
  return TRUE;
}

static gboolean
reduce_finish (TpLowering *lowering, const Reduce *reduce, TpCombiner combiner,
               gboolean is_mean)
{
  int result =
      tp_lowering_reduce (lowering, combiner, tp_nest_load (lowering->nest, 0));

  if (is_mean)
    result = tp_nest_binary (lowering->nest, TP_EXPR_MUL, result,
                             tp_nest_const (lowering->nest, 1.0 / reduce->n));
  return tp_lowering_finish (lowering, result);
}

static gboolean
reduce_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *inputs[] = { tp_lowering_get_input (&lowering, 0),
                               tp_lowering_get_input (&lowering, 1) };
  gboolean is_max = strcmp (node->op->name, "ReduceMax") == 0;
  Reduce reduce;

  if (!reduce_init (&reduce, node, inputs, error)
      || !reduce_add_axes (&lowering, &reduce, error))
    return FALSE;
  return reduce_finish (&lowering, &reduce,
                        is_max ? TP_COMBINE_MAX : TP_COMBINE_SUM,
                        strcmp (node->op->name, "ReduceMean") == 0);
}

static gboolean
global_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gboolean is_max = strcmp (node->op->name, "GlobalMaxPool") == 0;
  Reduce reduce = { .keeps_dims = TRUE,
                    .n = tp_dims_product (x->dims, 2, x->rank) };

  for (int i = 2; i < x->rank; i++)
    reduce.is_reduced[i] = TRUE;
  if (!reduce_add_axes (&lowering, &reduce, error))
    return FALSE;
  return reduce_finish (&lowering, &reduce,
                        is_max ? TP_COMBINE_MAX : TP_COMBINE_SUM, !is_max);
}

/* ---- reference --------------------------------------------------------- */

/* Walks the input once; every element finds its output. */
static void
reduce_scatter (const TpRefTensor *x, const gboolean *is_reduced,
                gboolean is_max, TpRefTensor *out)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    out->data[i] = is_max ? -INFINITY : 0.0;
  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 index = 0;

      for (int k = 0; k < x->rank; k++)
        if (!is_reduced[k])
          index = index * x->dims[k] + at[k];
      if (is_max)
        out->data[index] = MAX (out->data[index], x->data[i]);
      else
        out->data[index] += x->data[i];
      tp_dims_next (x->rank, x->dims, at);
    }
}

static void
reduce_sum_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  gint64 values[TP_MAX_RANK];
  int n = 0;
  const gint64 *axes = tp_node_get_ints (node, "axes", &n);
  Reduce reduce;

  if (tp_node_has_input (node, 1))
    {
      n = inputs[1]->count;
      for (int i = 0; i < n; i++)
        values[i] = inputs[1]->data[i];
      axes = values;
    }
  if (!reduce_set_axes (&reduce, node, inputs[0]->rank, axes, n, NULL))
    g_assert_not_reached ();
  reduce_scatter (inputs[0], reduce.is_reduced,
                  strcmp (node->op->name, "ReduceMax") == 0, &outputs[0]);
}

/* From a sum to a mean: as many were added as there are inputs per output. */
static void
divide_by_share (const TpRefTensor *x, TpRefTensor *out)
{
  for (gint64 i = 0; i < out->count; i++)
    out->data[i] /= x->count / out->count;
}

static void
reduce_mean_reference (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs)
{
  reduce_sum_reference (node, inputs, outputs);
  divide_by_share (inputs[0], &outputs[0]);
}

static const gboolean is_spatial[TP_MAX_RANK] = { FALSE, FALSE, TRUE, TRUE,
                                                  TRUE,  TRUE,  TRUE, TRUE };

static void
global_max_reference (const TpNode *node, const TpRefTensor *const *inputs,
                      TpRefTensor *outputs)
{
  reduce_scatter (inputs[0], is_spatial, TRUE, &outputs[0]);
}

static void
global_average_reference (const TpNode *node, const TpRefTensor *const *inputs,
                          TpRefTensor *outputs)
{
  reduce_scatter (inputs[0], is_spatial, FALSE, &outputs[0]);
  divide_by_share (inputs[0], &outputs[0]);
}

/* ---- records ----------------------------------------------------------- */

static const TpAttrSpec reduce_attrs[] = {
  { "axes", TP_ATTR_INTS, FALSE },
  { "keepdims", TP_ATTR_INT, FALSE },
  { "noop_with_empty_axes", TP_ATTR_INT, FALSE },
  { 0 },
};

#define REDUCE                                                                 \
  .kind = TP_OP_REDUCE, .n_inputs_min = 1, .n_inputs_max = 2,                  \
  .n_outputs_max = 1, .attrs = reduce_attrs, .infer = reduce_infer,            \
  .lower = reduce_lower

#define GLOBAL                                                                 \
  .kind = TP_OP_REDUCE, .n_inputs_min = 1, .n_inputs_max = 1,                  \
  .n_outputs_max = 1, .infer = global_infer, .lower = global_lower

const TpOp tp_op_reduce_mean = {
  .name = "ReduceMean",
  REDUCE,
  .tolerance = 1e-5,
  .reference = reduce_mean_reference,
};

const TpOp tp_op_reduce_sum = {
  .name = "ReduceSum",
  REDUCE,
  .tolerance = 1e-5,
  .reference = reduce_sum_reference,
};

const TpOp tp_op_reduce_max = {
  .name = "ReduceMax",
  REDUCE,
  .tolerance = 0.0,
  .reference = reduce_sum_reference,
};

const TpOp tp_op_global_average_pool = {
  .name = "GlobalAveragePool",
  GLOBAL,
  .tolerance = 1e-5,
  .reference = global_average_reference,
};

const TpOp tp_op_global_max_pool = {
  .name = "GlobalMaxPool",
  GLOBAL,
  .tolerance = 0.0,
  .reference = global_max_reference,
};
