/* op-cache.c: CacheUpdate: keys or values so far, with what is new in its places.
 *
 *   y[b, ..., p, ...] = x[b, ..., p, ...]          but for
 *   y[b, ..., places[b, i], ...] = updates[b, ..., i, ...]
 *
 * y is as long along the axis as input "length" says, or as x; behind the end of x it is
 * zeros. A place below 0 counts from the end of y, one outside of it takes nothing,
 * and of several updates for one place any may be there. A cache that is a state of the
 * graph, which nothing else reads, is where its next value is: then nothing but the updates
 * is written, however long it is. TensorScatter and the caches of GroupQueryAttention
 * become such (graph/function-cache.c). */
#include "config.h"

#include "ops/op-util.h"

#include <string.h>

enum
{
  X,
  PLACES,
  UPDATES,
  LENGTH,
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
  const TpTensor *x = inputs[X], *places = inputs[PLACES];
  g_autofree char *own = NULL, *at = NULL, *updates = NULL;

  if (axis > 0 && are_alike (x, inputs[UPDATES], axis) && places->rank == 2
      && places->dims[0] == x->dims[0]
      && places->dims[1] == inputs[UPDATES]->dims[axis])
    return TRUE;
  own = tp_dims_to_text (x->rank, x->dims);
  at = tp_dims_to_text (places->rank, places->dims);
  updates = tp_dims_to_text (inputs[UPDATES]->rank, inputs[UPDATES]->dims);
  return tp_op_fail (node, error,
                     "a cache %s, updates %s and %s places do not go together "
                     "along dimension %d: all else is to be equal, the batch is "
                     "dimension 0, and each update of a row has a place",
                     own, updates, at, axis);
}

static gboolean
find_length (const TpNode *node, const TpTensor *const *inputs, int axis,
             gint64 *out_length, GError **error)
{
  gint64 value = inputs[X]->dims[axis];
  TpInts length = { &value, 1, 1 };

  if (tp_node_has_input (node, LENGTH)
      && !tp_input_get_ints (node, inputs, LENGTH, &length, error))
    return FALSE;
  *out_length = value;
  if (length.n == 1 && value >= inputs[X]->dims[axis]
      && value >= inputs[UPDATES]->dims[axis])
    return TRUE;
  return tp_op_fail (node, error,
                     "a cache of %" G_GINT64_FORMAT " places, updated in %"
                     G_GINT64_FORMAT ", is to be %" G_GINT64_FORMAT " long",
                     inputs[X]->dims[axis], inputs[UPDATES]->dims[axis], value);
}

static gboolean
cache_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  int axis = 0;

  if (!tp_node_check_indices (node, inputs[PLACES], error)
      || !tp_node_get_axis (node, -2, inputs[X]->rank, &axis, error))
    return FALSE;
  if (inputs[X]->dtype != inputs[UPDATES]->dtype)
    return tp_op_fail (node, error, "the cache is %s and the updates %s",
                       tp_dtype_get_name (inputs[X]->dtype),
                       tp_dtype_get_name (inputs[UPDATES]->dtype));
  if (!check_shapes (node, inputs, axis, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[X]);
  return find_length (node, inputs, axis, &outputs[0].dims[axis], error);
}

/* Whether what was there before is where it is to be. */
static gboolean
is_in_place (const TpGraph *graph, const TpNode *node)
{
  int x = node->inputs[X];

  return graph->tensors[x].state == 1 + x && graph->tensors[x].n_consumers == 1
         && graph->tensors[node->outputs[0]].state == 1 + x;
}

/* What was there before; zeros behind its end. */
static void
add_before (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
            int axis)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, X);
  TpAccess *load = NULL;

  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, X);
  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  if (x->dims[axis] < lowering.out->dims[axis])
    {
      load->n_guards = 1;
      load->guards[0].coef[axis] = 1;
      load->guards[0].extent = x->dims[axis];
    }
  tp_lowering_finish (&lowering, tp_lowering_last_load (&lowering));
}

static void
add_updates (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             int axis)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *updates = tp_lowering_get_input (&lowering, UPDATES);
  const TpTensor *places = tp_lowering_get_input (&lowering, PLACES);
  const TpTensor *out = lowering.out;
  TpAccess *load = NULL;
  int update;

  for (int i = 0; i < out->rank; i++)
    tp_lowering_add_axis (&lowering, updates->dims[i],
                          i == axis ? 0 : out->strides[i]);
  load = tp_lowering_add_load (&lowering, UPDATES);
  memcpy (load->stride, updates->strides,
          updates->rank * sizeof updates->strides[0]);
  update = tp_lowering_last_load (&lowering);
  load = tp_lowering_add_load (&lowering, PLACES);
  load->stride[0] = places->strides[0];
  load->stride[axis] = places->strides[1];
  tp_access_pick (&lowering.nest->store, out, axis,
                  tp_lowering_last_load (&lowering));
  tp_lowering_finish (&lowering, update);
}

static gboolean
cache_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  int axis = 0;

  if (!tp_node_get_axis (node, -2, graph->tensors[node->outputs[0]].rank, &axis,
                         error))
    return FALSE;
  if (!is_in_place (graph, node))
    add_before (graph, node, lowered, axis);
  add_updates (graph, node, lowered, axis);
  return TRUE;
}

/* Where in @x the element at @at is, with @place along @axis. */
static gint64
find_element (int rank, const gint64 *dims, const gint64 *at, int axis,
              gint64 place)
{
  gint64 index = 0;

  for (int i = 0; i < rank; i++)
    index = index * dims[i] + (i == axis ? place : at[i]);
  return index;
}

static void
cache_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[X], *places = inputs[PLACES];
  const TpRefTensor *updates = inputs[UPDATES];
  TpRefTensor *y = &outputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };
  int axis = 0;

  if (!tp_node_get_axis (node, -2, x->rank, &axis, NULL))
    g_assert_not_reached ();
  memset (y->data, 0, y->count * sizeof y->data[0]);
  for (gint64 i = 0; i < x->count; i++)
    {
      y->data[find_element (y->rank, y->dims, at, axis, at[axis])] = x->data[i];
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; i < updates->count; i++)
    {
      double place = places->data[at[0] * places->dims[1] + at[axis]];

      place += place < 0 ? (double) y->dims[axis] : 0;
      if (place >= 0 && place < (double) y->dims[axis])
        y->data[find_element (y->rank, y->dims, at, axis, (gint64) place)]
            = updates->data[i];
      tp_dims_next (updates->rank, updates->dims, at);
    }
}

const TpOp tp_op_cache_update = {
  .name = "CacheUpdate",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 4,
  .n_outputs_max = 1,
  .attrs = tp_attrs_axis,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 0.0,
  .infer = cache_infer,
  .lower = cache_lower,
  .reference = cache_reference,
  .moves = TP_MOVES (X) | TP_MOVES (UPDATES),
};
