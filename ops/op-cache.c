/* op-cache.c: CacheUpdate: keys or values so far, with what is new in its places.
 *
 *   y[b, ..., p, ...] = x[b, ..., p, ...]          where i is no number of an update
 *                       updates[b, ..., i, ...]    else;   i = indices[b, p]
 *
 * p is a place along the axis; there are as many of them as indices, and those
 * behind the end of x are zeros. Told by place, not by update, all are written at
 * once, and where x and y lie in the same memory nothing is read that was written.
 * TensorScatter and the caches of GroupQueryAttention become such
 * (graph/function-cache.c). */
#include "config.h"

#include "ops/op-util.h"

#include <string.h>

enum
{
  X,
  INDICES,
  UPDATES,
};

/* Whether @a and @b have the same dimensions but for @axis. */
static gboolean
are_alike (const TpTensor *a, const TpTensor *b, int axis)
{
  gboolean is_fit = a->rank == b->rank;

  for (int i = 0; is_fit && i < a->rank; i++)
    is_fit = i == axis || a->dims[i] == b->dims[i];
  return is_fit;
}

static gboolean
check_shapes (const TpNode *node, const TpTensor *const *inputs, int axis,
              GError **error)
{
  const TpTensor *x = inputs[X], *indices = inputs[INDICES];
  g_autofree char *own = NULL, *places = NULL, *updates = NULL;

  if (axis > 0 && are_alike (x, inputs[UPDATES], axis) && indices->rank == 2
      && indices->dims[0] == x->dims[0]
      && indices->dims[1] >= inputs[UPDATES]->dims[axis])
    return TRUE;
  own = tp_dims_to_text (x->rank, x->dims);
  places = tp_dims_to_text (indices->rank, indices->dims);
  updates = tp_dims_to_text (inputs[UPDATES]->rank, inputs[UPDATES]->dims);
  return tp_op_fail (node, error,
                     "a cache %s, updates %s and %s indices do not go together "
                     "along dimension %d: all else is to be equal, the batch is "
                     "dimension 0, and updates are no more than places",
                     own, updates, places, axis);
}

static gboolean
cache_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  int axis = 0;

  if (!tp_node_check_indices (node, inputs[INDICES], error)
      || !tp_node_get_axis (node, -2, inputs[X]->rank, &axis, error))
    return FALSE;
  if (inputs[X]->dtype != inputs[UPDATES]->dtype)
    return tp_op_fail (node, error, "the cache is %s and the updates %s",
                       tp_dtype_get_name (inputs[X]->dtype),
                       tp_dtype_get_name (inputs[UPDATES]->dtype));
  if (!check_shapes (node, inputs, axis, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[X]);
  outputs[0].dims[axis] = inputs[INDICES]->dims[1];
  return TRUE;
}

/* Expression: what was there before; zeros behind its end. */
static int
load_before (TpLowering *lowering, int axis)
{
  const TpTensor *x = tp_lowering_get_input (lowering, X);
  TpAccess *load = tp_lowering_add_load (lowering, X);

  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  if (x->dims[axis] < lowering->out->dims[axis])
    {
      load->n_guards = 1;
      load->guards[0].coef[axis] = 1;
      load->guards[0].extent = x->dims[axis];
    }
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static int
load_update (TpLowering *lowering, int axis, int index)
{
  const TpTensor *updates = tp_lowering_get_input (lowering, UPDATES);
  TpAccess *load = tp_lowering_add_load (lowering, UPDATES);

  memcpy (load->stride, updates->strides,
          updates->rank * sizeof updates->strides[0]);
  load->stride[axis] = 0;
  tp_access_pick (load, updates, axis, index);
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

static gboolean
cache_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *indices = tp_lowering_get_input (&lowering, INDICES);
  TpNest *nest = lowering.nest;
  TpAccess *load = NULL;
  int axis = 0, index, before, update, is_before, is_behind;

  if (!tp_node_get_axis (node, -2, lowering.out->rank, &axis, error))
    return FALSE;
  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, INDICES);
  load->stride[0] = indices->strides[0];
  load->stride[axis] = indices->strides[1];
  index = tp_nest_load (nest, 0);
  before = load_before (&lowering, axis);
  update = load_update (&lowering, axis, index);
  is_before = tp_nest_binary (nest, TP_EXPR_LESS, index,
                              tp_nest_const_integer (nest, 0));
  is_behind = tp_nest_binary (
      nest, TP_EXPR_LESS,
      tp_nest_const_integer (
          nest, tp_lowering_get_input (&lowering, UPDATES)->dims[axis] - 1),
      index);
  update = tp_nest_select (nest, is_behind, before, update);
  return tp_lowering_finish (&lowering,
                             tp_nest_select (nest, is_before, before, update));
}

/* Where in @x the element at @at is, with @place along @axis. */
static gint64
find_element (const TpRefTensor *x, const gint64 *at, int axis, gint64 place)
{
  gint64 index = 0;

  for (int i = 0; i < x->rank; i++)
    index = index * x->dims[i] + (i == axis ? place : at[i]);
  return index;
}

static void
cache_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[X], *indices = inputs[INDICES];
  const TpRefTensor *updates = inputs[UPDATES];
  gint64 at[TP_MAX_RANK] = { 0 };
  int axis = 0;

  if (!tp_node_get_axis (node, -2, x->rank, &axis, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      double k = indices->data[at[0] * indices->dims[1] + at[axis]];

      if (k >= 0 && k < updates->dims[axis])
        outputs[0].data[i]
            = updates->data[find_element (updates, at, axis, (gint64) k)];
      else
        outputs[0].data[i] = at[axis] < x->dims[axis]
                                 ? x->data[find_element (x, at, axis, at[axis])]
                                 : 0.0;
      tp_dims_next (outputs[0].rank, outputs[0].dims, at);
    }
}

const TpOp tp_op_cache_update = {
  .name = "CacheUpdate",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = tp_attrs_axis,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 0.0,
  .infer = cache_infer,
  .lower = cache_lower,
  .reference = cache_reference,
  .moves = TP_MOVES (X) | TP_MOVES (UPDATES),
};
