/* op-cast.c: Cast, CastLike and Widen: the same numbers as another type. */
#include "config.h"

#include "ops/op-cast.h"

#include "ops/op-util.h"

#include <math.h>

gboolean
tp_node_get_dtype (const TpNode *node, const char *name, TpDtype fallback,
                   TpDtype *out_dtype, GError **error)
{
  const TpAttr *attr = tp_node_find_attr (node, name);

  *out_dtype = fallback;
  return attr == NULL || tp_dtype_find_onnx (attr->i, out_dtype)
         || tp_op_refuse (node, error,
                          "element type %" G_GINT64_FORMAT
                          " (attribute '%s') is not known",
                          attr->i, name);
}

/* Integers are cut towards zero and wrapped to the width; to bool is: not 0. */
static void
cast_reference (const TpNode *node, const TpRefTensor *const *inputs,
                TpRefTensor *outputs)
{
  TpRefTensor *out = &outputs[0];
  TpDtypeClass class = tp_dtype_get (out->dtype)->class;

  for (gint64 i = 0; i < out->count; i++)
    {
      double x = inputs[0]->data[i];

      if (class == TP_CLASS_BOOL)
        x = x != 0.0;
      else if (class == TP_CLASS_INTEGER)
        x = tp_reference_to_integer (x, out->dtype);
      out->data[i] = x;
    }
  tp_dtype_round (out->dtype, out->data, out->count);
}

/* Wrapped to the width by whoever calls. */
static gint64
cast_integer (const TpNode *node, const gint64 *x)
{
  return x[0];
}

/* A store wraps integers, and takes x != 0 for bool. */
static int
cast_expr (TpNest *nest, int value)
{
  int zero = tp_nest_const (nest, 0.0);

  if (tp_dtype_get (nest->store.dtype)->class == TP_CLASS_BOOL
      && !nest->exprs[value].is_integer)
    {
      value = tp_nest_binary (nest, TP_EXPR_EQUAL, value, zero);
      value = tp_nest_binary (nest, TP_EXPR_EQUAL, value, zero);
    }
  return tp_nest_convert (nest, value, nest->store.dtype);
}

static gboolean
cast_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
            GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  tp_lowering_add_output_axes (&lowering);
  return tp_lowering_finish (
      &lowering, cast_expr (lowering.nest,
                            tp_lowering_load_broadcast (&lowering, 0)));
}

#define CAST                                                                   \
  .kind = TP_OP_MAP, .n_outputs_max = 1, .tolerance = 0.0,                     \
  .flags = TP_OP_COPIES,                                                       \
  .lower = cast_lower, .reference = cast_reference,                            \
  .map_integer = cast_integer

static gboolean
cast_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  return tp_node_get_dtype (node, "to", TPLAN_DTYPE_FLOAT32, &outputs[0].dtype,
                            error);
}

static const TpAttrSpec cast_attrs[] = {
  { "to", TP_ATTR_INT, TRUE },
  { "saturate", TP_ATTR_INT, FALSE },
  { "round_mode", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_cast = {
  .name = "Cast",
  CAST,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .attrs = cast_attrs,
  .infer = cast_infer,
};

static gboolean
cast_like_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  outputs[0].dtype = inputs[1]->dtype;
  return TRUE;
}

static const TpAttrSpec cast_like_attrs[] = {
  { "saturate", TP_ATTR_INT, FALSE },
  { "round_mode", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_cast_like = {
  .name = "CastLike",
  CAST,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .attrs = cast_like_attrs,
  .infer = cast_like_infer,
};

/* ---- Widen: to the type that kernels compute with, which bodies of ops ask for ---- */

static gboolean
widen_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  tp_shape_copy (&outputs[0], inputs[0]);
  outputs[0].dtype = tp_dtype_get_computed (inputs[0]->dtype);
  return TRUE;
}

const TpOp tp_op_widen = {
  .name = "Widen",
  CAST,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .infer = widen_infer,
};
