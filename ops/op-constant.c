/* op-constant.c: Constant. The builder makes a constant tensor of each while
 * reading; the record says which attributes there are. */
#include "config.h"

#include "ops/op-util.h"

static gboolean
constant_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  const TpAttr *attr = node->n_attrs == 1 ? &node->attrs[0] : NULL;

  if (attr == NULL || attr->kind == TP_ATTR_TENSOR
      || attr->kind == TP_ATTR_STRING)
    return tp_op_refuse (node, error,
                         "exactly one of value_float, value_floats, "
                         "value_int, value_ints is needed");
  outputs[0].dtype = attr->kind == TP_ATTR_INT || attr->kind == TP_ATTR_INTS
                         ? TPLAN_DTYPE_INT64
                         : TPLAN_DTYPE_FLOAT32;
  outputs[0].rank = attr->kind == TP_ATTR_INTS || attr->kind == TP_ATTR_FLOATS;
  outputs[0].dims[0] = attr->n;
  return TRUE;
}

static void
constant_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  const TpAttr *attr = &node->attrs[0];

  for (gint64 i = 0; i < outputs[0].count; i++)
    outputs[0].data[i] = attr->kind == TP_ATTR_INT      ? attr->i
                         : attr->kind == TP_ATTR_INTS   ? attr->ints[i]
                         : attr->kind == TP_ATTR_FLOATS ? (float)attr->floats[i]
                                                        : (float)attr->f;
}

static const TpAttrSpec constant_attrs[] = {
  { "value", TP_ATTR_TENSOR, FALSE },
  { "value_float", TP_ATTR_FLOAT, FALSE },
  { "value_floats", TP_ATTR_FLOATS, FALSE },
  { "value_int", TP_ATTR_INT, FALSE },
  { "value_ints", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_constant = {
  .name = "Constant",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 0,
  .n_inputs_max = 0,
  .n_outputs_max = 1,
  .attrs = constant_attrs,
  .tolerance = 0.0,
  .infer = constant_infer,
  .reference = constant_reference,
};
