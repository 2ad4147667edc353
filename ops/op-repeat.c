/* op-repeat.c: the same elements more often: Expand and Tile. */
#include "config.h"

#include "ops/op-util.h"

/* ---- Expand: broadcasts to a shape, and the shape to the input ----------- */

static gboolean
expand_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  gint64 dims[TP_MAX_RANK];
  TpInts list = { dims, TP_MAX_RANK, 0 };
  TpTensor shape = { .dims = dims };
  TpNode pair = *node;
  const TpTensor *both[] = { x, &shape };

  if (!tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  shape.rank = list.n;
  for (int i = 0; i < shape.rank; i++)
    if (dims[i] < 0)
      return tp_op_fail (node, error,
                         "dimension %d of the shape in input 1 is "
                         "%" G_GINT64_FORMAT,
                         i, dims[i]);
  pair.n_inputs = 2;
  return tp_infer_broadcast_any (&pair, both, outputs, error);
}

static void
expand_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  TpRefTensor *out = &outputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    {
      out->data[i] = tp_reference_get_broadcast (inputs[0], out, at);
      tp_dims_next (out->rank, out->dims, at);
    }
}

const TpOp tp_op_expand = {
  .name = "Expand",
  .kind = TP_OP_MAP,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .flags = TP_OP_COPIES,
  .tolerance = 0.0,
  .infer = expand_infer,
  .lower = tp_lower_pass,
  .reference = expand_reference,
  .moves = TP_MOVES (0),
};

/* ---- Tile --------------------------------------------------------------- */

static gboolean
tile_get_repeats (const TpNode *node, const TpTensor *const *inputs,
                  gint64 *out_repeats, GError **error)
{
  TpInts repeats = { out_repeats, TP_MAX_RANK, 0 };

  if (!tp_input_get_ints (node, inputs, 1, &repeats, error))
    return FALSE;
  if (repeats.n != inputs[0]->rank)
    return tp_op_fail (node, error, "%d repeats for %d dimensions", repeats.n,
                       inputs[0]->rank);
  for (int i = 0; i < repeats.n; i++)
    if (out_repeats[i] < 0)
      return tp_op_fail (node, error,
                         "dimension %d is repeated %" G_GINT64_FORMAT " times",
                         i, out_repeats[i]);
  return TRUE;
}

static gboolean
tile_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
            GError **error)
{
  gint64 repeats[TP_MAX_RANK];

  if (!tile_get_repeats (node, inputs, repeats, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[0]);
  for (int i = 0; i < inputs[0]->rank; i++)
    if (!tp_size_mul (inputs[0]->dims[i], repeats[i], &outputs[0].dims[i]))
      return tp_op_fail (node, error, "dimension %d is too large", i);
  return TRUE;
}

/* Each dimension is an axis of repeats and one of elements. */
static gboolean
tile_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
            GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  const gint64 *strides = lowering.out->strides;
  TpNest *nest = lowering.nest;
  TpAccess *load = tp_lowering_add_load (&lowering, 0);

  for (int i = 0; i < x->rank; i++)
    {
      gint64 n = lowering.out->dims[i] / x->dims[i];
      int axis = 0;

      if (nest->n_axes + 2 > TP_NEST_MAX_AXES)
        return tp_op_refuse (node, error, "too many dimensions are repeated");
      if (n > 1)
        tp_lowering_add_axis (&lowering, n, x->dims[i] * strides[i]);
      axis = tp_lowering_add_axis (&lowering, x->dims[i], strides[i]);
      load->stride[axis] = x->strides[i];
    }
  return tp_lowering_finish (&lowering, tp_nest_load (nest, 0));
}

static void
tile_reference (const TpNode *node, const TpRefTensor *const *inputs,
                TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  TpRefTensor *out = &outputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    {
      gint64 index = 0;

      for (int k = 0; k < x->rank; k++)
        index = index * x->dims[k] + at[k] % x->dims[k];
      out->data[i] = x->data[index];
      tp_dims_next (out->rank, out->dims, at);
    }
}

const TpOp tp_op_tile = {
  .name = "Tile",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .tolerance = 0.0,
  .infer = tile_infer,
  .lower = tile_lower,
  .reference = tile_reference,
  .moves = TP_MOVES (0),
};
