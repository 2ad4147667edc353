/* op-gather.c: GatherElements and GatherND: elements named by a tensor. */
#include "config.h"

#include "ops/op-util.h"

#include <string.h>

/* ---- GatherElements ----------------------------------------------------- */

static gboolean
gather_elements_infer (const TpNode *node, const TpTensor *const *inputs,
                       TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  const TpTensor *indices = inputs[1];
  gboolean is_fit = indices->rank == x->rank;
  int axis = 0;

  if (!tp_node_check_indices (node, indices, error)
      || !tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  for (int i = 0; is_fit && i < x->rank; i++)
    is_fit = i == axis || indices->dims[i] <= x->dims[i];
  if (!is_fit)
    {
      g_autofree char *first = tp_dims_to_text (x->rank, x->dims);
      g_autofree char *other = tp_dims_to_text (indices->rank, indices->dims);

      return tp_op_fail (node, error,
                         "indices %s reach beyond %s in more than dimension %d",
                         other, first, axis);
    }
  tp_shape_copy (&outputs[0], indices);
  outputs[0].dtype = x->dtype;
  return TRUE;
}

static gboolean
gather_elements_lower (const TpGraph *graph, const TpNode *node,
                       TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  const TpTensor *indices = tp_lowering_get_input (&lowering, 1);
  TpAccess *load = NULL;
  int index = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  if (x->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", x->name);
  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, 1);
  memcpy (load->stride, indices->strides, x->rank * sizeof x->strides[0]);
  index = tp_nest_load (lowering.nest, 0);
  load = tp_lowering_add_load (&lowering, 0);
  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  load->stride[axis] = 0;
  tp_access_pick (load, x, axis, index);
  return tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 1));
}

/* Indices out of range give zeros. */
static void
gather_elements_reference (const TpNode *node, const TpRefTensor *const *inputs,
                           TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      double named = inputs[1]->data[i];
      gint64 index = 0;

      named += named < 0 ? x->dims[axis] : 0;
      for (int k = 0; k < x->rank; k++)
        index = index * x->dims[k] + (k == axis ? 0 : at[k]);
      outputs[0].data[i] = 0.0;
      if (named >= 0 && named < x->dims[axis])
        outputs[0].data[i]
            = x->data[index
                      + (gint64) named
                            * tp_dims_product (x->dims, axis + 1, x->rank)];
      tp_dims_next (outputs[0].rank, outputs[0].dims, at);
    }
}

const TpOp tp_op_gather_elements = {
  .name = "GatherElements",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = tp_attrs_axis,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 0.0,
  .infer = gather_elements_infer,
  .lower = gather_elements_lower,
  .reference = gather_elements_reference,
  .moves = TP_MOVES (0),
};

/* ---- GatherND: the last dimension of the indices is a position ----------- */

static gboolean
gather_nd_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  const TpTensor *indices = inputs[1];
  gint64 n_batch = tp_node_get_int (node, "batch_dims", 0);
  TpShape *out = &outputs[0];
  gint64 n = 0;

  if (!tp_node_check_indices (node, indices, error))
    return FALSE;
  if (n_batch < 0 || n_batch >= MIN (x->rank, indices->rank))
    return tp_op_fail (node, error,
                       "batch_dims is %" G_GINT64_FORMAT
                       ", must be below the ranks %d and %d",
                       n_batch, x->rank, indices->rank);
  for (int i = 0; i < n_batch; i++)
    if (x->dims[i] != indices->dims[i])
      return tp_op_fail (node, error, "batch dimension %d differs", i);
  n = indices->dims[indices->rank - 1];
  if (n < 1 || n > x->rank - n_batch)
    return tp_op_fail (node, error,
                       "positions have %" G_GINT64_FORMAT
                       " numbers, 1 to %d are possible",
                       n, x->rank - (int) n_batch);
  if (indices->rank - 1 + x->rank - n_batch - n > TP_MAX_RANK)
    return tp_op_fail (node, error, "the output has more than %d dimensions",
                       TP_MAX_RANK);
  out->dtype = x->dtype;
  out->rank = 0;
  for (int i = 0; i < indices->rank - 1; i++)
    out->dims[out->rank++] = indices->dims[i];
  for (int i = n_batch + n; i < x->rank; i++)
    out->dims[out->rank++] = x->dims[i];
  return TRUE;
}

/* Expressions: number @i of the position counted from the start of its dimension, of
 * @extent elements, and (*inout_is_inside) whether it and those before are of it. */
static int
load_number (TpLowering *lowering, int i, gint64 extent, int *inout_is_inside)
{
  const TpTensor *indices = tp_lowering_get_input (lowering, 1);
  TpAccess *load = tp_lowering_add_load (lowering, 1);
  TpNest *nest = lowering->nest;
  int last = indices->rank - 1;
  int zero = tp_nest_const_integer (nest, 0);
  int size = tp_nest_const_integer (nest, extent);
  int number, is_negative, is_below;

  memcpy (load->stride, indices->strides, last * sizeof indices->strides[0]);
  load->offset = i * indices->strides[last];
  number = tp_nest_load (nest, nest->n_loads - 1);
  is_negative = tp_nest_binary (nest, TP_EXPR_LESS, number, zero);
  number = tp_nest_select (nest, is_negative,
                           tp_nest_binary (nest, TP_EXPR_ADD, number, size),
                           number);
  is_negative = tp_nest_binary (nest, TP_EXPR_LESS, number, zero);
  is_below = tp_nest_binary (nest, TP_EXPR_LESS, number, size);
  is_below = tp_nest_select (nest, is_negative, zero, is_below);
  *inout_is_inside = *inout_is_inside < 0 ? is_below
                                          : tp_nest_select (nest, is_below,
                                                            *inout_is_inside,
                                                            zero);
  return number;
}

/* The numbers of a position become one, of elements. */
static gboolean
gather_nd_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                 GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  const TpTensor *indices = tp_lowering_get_input (&lowering, 1);
  int n_batch = tp_node_get_int (node, "batch_dims", 0);
  int n = indices->dims[indices->rank - 1];
  TpNest *nest = lowering.nest;
  gint64 extent = 1;
  int at = tp_nest_const_integer (nest, 0);
  int is_inside = -1;
  TpAccess *load;

  if (x->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", x->name);
  tp_lowering_add_output_axes (&lowering);
  for (int i = 0; i < n; i++)
    {
      gint64 dim = x->dims[n_batch + i], stride = x->strides[n_batch + i];
      int number = load_number (&lowering, i, dim, &is_inside);

      number = tp_nest_binary (nest, TP_EXPR_MUL, number,
                               tp_nest_const_integer (nest, stride));
      at = tp_nest_binary (nest, TP_EXPR_ADD, at, number);
      extent += (dim - 1) * stride;
    }
  at = tp_nest_select (nest, is_inside, at,
                       tp_nest_const_integer (nest, extent));
  load = tp_lowering_add_load (&lowering, 0);
  memcpy (load->stride, x->strides, n_batch * sizeof x->strides[0]);
  for (int i = n_batch + n; i < x->rank; i++)
    load->stride[indices->rank - 1 + i - n_batch - n] = x->strides[i];
  load->index = at;
  load->index_stride = 1;
  load->index_extent = extent;
  return tp_lowering_finish (&lowering,
                             tp_nest_load (nest, nest->n_loads - 1));
}

/* Which block of @x the @n numbers from @named on mean, within the batch @block;
 * -1: none. */
static gint64
find_block (const TpRefTensor *x, gint64 block, int first, int n,
            const double *named)
{
  for (int i = 0; i < n; i++)
    {
      gint64 extent = x->dims[first + i];
      double k = named[i] + (named[i] < 0 ? extent : 0);

      if (!(k >= 0 && k < extent))
        return -1;
      block = block * extent + (gint64) k;
    }
  return block;
}

/* Positions out of range give zeros. */
static void
gather_nd_reference (const TpNode *node, const TpRefTensor *const *inputs,
                     TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const TpRefTensor *indices = inputs[1];
  int n_batch = tp_node_get_int (node, "batch_dims", 0);
  int n = indices->dims[indices->rank - 1];
  gint64 size = tp_dims_product (x->dims, n_batch + n, x->rank);
  gint64 n_rows = indices->count / n;
  gint64 n_batches = tp_dims_product (x->dims, 0, n_batch);

  for (gint64 row = 0; row < n_rows; row++)
    {
      gint64 block = find_block (x, row / (n_rows / n_batches), n_batch, n,
                                 indices->data + row * n);
      double *dst = outputs[0].data + row * size;

      if (block >= 0)
        memcpy (dst, x->data + block * size, size * sizeof *dst);
      else
        memset (dst, 0, size * sizeof *dst);
    }
}

static const TpAttrSpec gather_nd_attrs[] = {
  { "batch_dims", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_gather_nd = {
  .name = "GatherND",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = gather_nd_attrs,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 0.0,
  .infer = gather_nd_infer,
  .lower = gather_nd_lower,
  .reference = gather_nd_reference,
  .moves = TP_MOVES (0),
};
