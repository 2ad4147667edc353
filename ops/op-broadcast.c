/* op-broadcast.c: binary elementwise ops before opset 7, when broadcasting had
 * to be asked for: input 1 is stretched to input 0, where attribute axis says
 * or at the end. */
#include "config.h"

#include "ops/op-broadcast.h"

#include "ops/op-util.h"

const TpAttrSpec tp_binary_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "broadcast", TP_ATTR_INT, FALSE },
  { 0 },
};

static gboolean
was_asked_for (const TpNode *node)
{
  return tp_node_get_int (node, "broadcast", 0) != 0;
}

int
tp_align_binary (const TpNode *node, int i, int rank, int out_rank)
{
  gint64 axis = tp_node_get_int (node, "axis", out_rank - rank);

  if (i == 0 || node->opset >= 7)
    return out_rank - rank;
  return axis < 0 ? axis + out_rank : axis;
}

/* Whether input 1 may be stretched to input 0. */
static gboolean
check_stretch (const TpNode *node, const TpTensor *const *inputs,
               GError **error)
{
  const TpTensor *a = inputs[0];
  const TpTensor *b = inputs[1];
  gint64 axis = tp_node_get_int (node, "axis", a->rank - b->rank);
  gint64 first = axis < 0 ? axis + a->rank : axis;
  gboolean is_fit = first >= 0 && first <= a->rank - b->rank;

  for (int i = 0; is_fit && i < b->rank; i++)
    is_fit = b->dims[i] == a->dims[first + i]
             || (b->dims[i] == 1 && was_asked_for (node));
  if (is_fit && (was_asked_for (node) || a->rank == b->rank))
    return TRUE;
  {
    g_autofree char *wide = tp_dims_to_text (a->rank, a->dims);
    g_autofree char *other = tp_dims_to_text (b->rank, b->dims);

    if (!was_asked_for (node))
      return tp_op_fail (node, error,
                         "shapes %s and %s differ: opset %d wants attribute "
                         "broadcast=1 for that",
                         wide, other, node->opset);
    return tp_op_fail (node, error,
                       "shape %s does not stretch to %s from axis "
                       "%" G_GINT64_FORMAT " on",
                       other, wide, axis);
  }
}

gboolean
tp_infer_binary (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  if (node->opset < 7)
    return check_stretch (node, inputs, error)
           && tp_infer_same (node, inputs, outputs, error);
  if (node->n_attrs > 0 && node->op->attrs == tp_binary_attrs)
    return tp_op_fail (node, error,
                       "attribute '%s' went with opset 7, this is opset %d: "
                       "shapes broadcast by themselves",
                       node->attrs[0].name, node->opset);
  return tp_infer_broadcast_any (node, inputs, outputs, error);
}

gboolean
tp_infer_arithmetic (const TpNode *node, const TpTensor *const *inputs,
                     TpShape *outputs, GError **error)
{
  return tp_infer_binary (node, inputs, outputs, error)
         && tp_infer_one_dtype (node, inputs, error);
}
