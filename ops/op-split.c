/* op-split.c: Split: neighbouring parts of one dimension. */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-util.h"

#include <string.h>

/* Parts as equal as can be; all but the last the same from opset 18 on, when
 * num_outputs may not divide the dimension. */
static gboolean
split_evenly (const TpNode *node, int axis, gint64 extent, gint64 *parts,
              GError **error)
{
  gint64 n = node->n_outputs;
  gint64 part = (extent + n - 1) / n;
  gboolean is_uneven = tp_node_find_attr (node, "num_outputs") != NULL;

  if (tp_node_get_int (node, "num_outputs", n) != n)
    return tp_op_fail (node, error, "num_outputs differs from the %d outputs",
                       node->n_outputs);
  if (extent % n != 0 && (!is_uneven || part * (n - 1) > extent))
    return tp_op_fail (node, error,
                       "dimension %d has extent %" G_GINT64_FORMAT
                       ", which does not split into %d equal parts",
                       axis, extent, node->n_outputs);
  for (int i = 0; i < n; i++)
    parts[i] = MIN (part, extent - i * part);
  return TRUE;
}

static gboolean
split_check (const TpNode *node, int axis, gint64 extent, const gint64 *parts,
             GError **error)
{
  gint64 sum = 0;

  for (int i = 0; i < node->n_outputs; i++)
    if (!tp_size_add (sum, parts[i], &sum))
      return tp_op_fail (node, error, "part %d has extent %" G_GINT64_FORMAT,
                         i, parts[i]);
  if (sum != extent)
    return tp_op_fail (node, error,
                       "the parts sum to %" G_GINT64_FORMAT
                       ", dimension %d has extent %" G_GINT64_FORMAT,
                       sum, axis, extent);
  return TRUE;
}

/* Attribute split before opset 13, then input 1; without either, evenly. */
static gboolean
split_get_parts (const TpNode *node, const TpTensor *const *inputs, int axis,
                 gint64 *out_parts, GError **error)
{
  gint64 extent = inputs[0]->dims[axis];
  TpInts list = { out_parts, node->n_outputs, 0 };
  const gint64 *given = tp_node_get_ints (node, "split", &list.n);
  gboolean is_input = tp_node_has_input (node, 1);

  if (!is_input && given == NULL)
    return split_evenly (node, axis, extent, out_parts, error);
  if (is_input && !tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  if (list.n != node->n_outputs)
    return tp_op_fail (node, error, "%d parts for %d outputs", list.n,
                       node->n_outputs);
  if (!is_input)
    memcpy (out_parts, given, list.n * sizeof given[0]);
  return split_check (node, axis, extent, out_parts, error);
}

static gboolean
split_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  g_autofree gint64 *parts = tp_new0 (gint64, node->n_outputs);
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error)
      || !split_get_parts (node, inputs, axis, parts, error))
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      tp_shape_copy (&outputs[i], x);
      outputs[i].dims[axis] = parts[i];
    }
  return TRUE;
}

/* One nest per output that anybody wants. */
static gboolean
split_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  const TpTensor *x = &graph->tensors[node->inputs[0]];
  gint64 offset = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      const TpTensor *out = &graph->tensors[node->outputs[i]];
      g_auto (TpLowering) lowering
          = tp_lowering_new_output (graph, node, lowered, i);
      TpAccess *load = NULL;

      if (out->count > 0 && (out->is_output || out->n_consumers > 0))
        {
          tp_lowering_add_output_axes (&lowering);
          load = tp_lowering_add_load (&lowering, 0);
          memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
          load->offset = offset;
          tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 0));
        }
      offset += out->dims[axis] * x->strides[axis];
    }
  return TRUE;
}

static void
split_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const double *src = x->data;
  gint64 n_rows = 0;
  gint64 n = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  n_rows = tp_dims_product (x->dims, 0, axis);
  n = tp_dims_product (x->dims, axis + 1, x->rank);
  for (gint64 row = 0; row < n_rows; row++)
    for (int i = 0; i < node->n_outputs; i++)
      {
        gint64 size = outputs[i].dims[axis] * n;

        memcpy (outputs[i].data + row * size, src, size * sizeof *src);
        src += size;
      }
}

static const TpAttrSpec split_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "num_outputs", TP_ATTR_INT, FALSE },
  { "split", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_split = {
  .name = "Split",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .n_outputs_max = TP_VARIADIC,
  .attrs = split_attrs,
  .tolerance = 0.0,
  .flags = TP_OP_CUTS,
  .infer = split_infer,
  .lower = split_lower,
  .reference = split_reference,
  .moves = TP_MOVES (0),
};
