/* op-clip.c: Clip, and the ops that pass their input through. */
#include "config.h"

#include "ir/graph-value.h"
#include "ops/op-util.h"

#include <math.h>

/* ---- Clip: bounds are attributes before opset 11, then inputs ---------- */

static gboolean
clip_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  if (node->opset < 11 && node->n_inputs > 1)
    return tp_op_fail (node, error,
                       "opset %d has the bounds of Clip in attributes min "
                       "and max, not in inputs",
                       node->opset);
  for (int i = 1; i < node->n_inputs; i++)
    if (inputs[i] != NULL && inputs[i]->count != 1)
      return tp_op_fail (node, error,
                         "input %d has %" G_GINT64_FORMAT
                         " elements, a bound has 1",
                         i, inputs[i]->count);
  return tp_infer_one_dtype (node, inputs, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static int
clip_expr (const TpNode *node, TpNest *nest, const int *x)
{
  const TpAttr *min = tp_node_find_attr (node, "min");
  const TpAttr *max = tp_node_find_attr (node, "max");
  int low = min != NULL ? tp_nest_const (nest, min->f) : -1;
  int high = max != NULL ? tp_nest_const (nest, max->f) : -1;
  int value = x[0];

  if (tp_node_has_input (node, 1))
    low = x[1];
  if (tp_node_has_input (node, 2))
    high = x[2];
  if (low >= 0)
    value = tp_nest_binary (nest, TP_EXPR_MAX, low, value);
  if (high >= 0)
    value = tp_nest_binary (nest, TP_EXPR_MIN, high, value);
  return value;
}

static double
clip_value (const TpNode *node, const double *x)
{
  double low = tp_node_has_input (node, 1)
                   ? x[1]
                   : tp_node_get_float (node, "min", -INFINITY);
  double high = tp_node_has_input (node, 2)
                    ? x[2]
                    : tp_node_get_float (node, "max", INFINITY);
  double value = x[0] < low ? low : x[0];

  return value > high ? high : value;
}

static gint64
clip_integer (const TpNode *node, const gint64 *x)
{
  gint64 value = x[0];

  if (tp_node_has_input (node, 1))
    value = MAX (value, x[1]);
  return tp_node_has_input (node, 2) ? MIN (value, x[2]) : value;
}

static const TpAttrSpec clip_attrs[] = {
  { "min", TP_ATTR_FLOAT, FALSE },
  { "max", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_clip = {
  .name = "Clip",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = clip_attrs,
  .tolerance = 0.0,
  .infer = clip_infer,
  .lower = tp_lower_map,
  .reference = tp_reference_map,
  .map_expr = clip_expr,
  .map_value = clip_value,
  .map_integer = clip_integer,
};

/* ---- the input itself --------------------------------------------------
 *
 * Maps, not views: a copy between two stride sets is what Relayout is for, and
 * as maps they fuse in any layout. */

static int
pass_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return x[0];
}

static double
pass_value (const TpNode *node, const double *x)
{
  return x[0];
}

#define PASS                                                                   \
  .kind = TP_OP_MAP, .n_inputs_min = 1, .tolerance = 0.0,                      \
  .lower = tp_lower_map, .reference = tp_reference_map, .map_expr = pass_expr, \
  .map_value = pass_value, .moves = TP_MOVES (0)

const TpOp tp_op_identity = {
  .name = "Identity",
  PASS,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_IDENTITY,
  .infer = tp_infer_same,
};

/* Put into graphs by the layout pass. */
const TpOp tp_op_relayout = {
  .name = "Relayout",
  PASS,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_LAYOUT,
  .infer = tp_infer_same,
};

/* ---- Dropout: inference only; else graph/function-training.c ------------ */

static gboolean
dropout_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  if (node->n_outputs > 1)
    {
      tp_shape_copy (&outputs[1], inputs[0]);
      outputs[1].dtype = TPLAN_DTYPE_BOOL;
    }
  return TRUE;
}

/* Nothing is dropped: the mask is of ones. */
static gboolean
dropout_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) mask = { 0 };

  if (!tp_lower_pass (graph, node, lowered, error))
    return FALSE;
  if (node->n_outputs < 2 || node->outputs[1] < 0)
    return TRUE;
  mask = tp_lowering_new_output (graph, node, lowered, 1);
  tp_lowering_add_output_axes (&mask);
  return tp_lowering_finish (&mask, tp_nest_const_integer (mask.nest, 1));
}

static void
dropout_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  tp_reference_copy (node, inputs, outputs);
  if (node->n_outputs > 1)
    for (gint64 i = 0; i < outputs[1].count; i++)
      outputs[1].data[i] = 1.0;
}

static const TpAttrSpec dropout_attrs[] = {
  { "ratio", TP_ATTR_FLOAT, FALSE },
  { "seed", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_dropout = {
  .name = "Dropout",
  .kind = TP_OP_MAP,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .n_outputs_max = 2,
  .flags = TP_OP_IDENTITY | TP_OP_COPIES,
  .attrs = dropout_attrs,
  .tolerance = 0.0,
  .infer = dropout_infer,
  .lower = dropout_lower,
  .reference = dropout_reference,
  .moves = TP_MOVES (0),
};
