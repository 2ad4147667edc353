/* op-move.c: Transpose, Concat, Slice, Gather, Shape: elements elsewhere. */
#include "config.h"

#include "ops/op-move.h"

#include "ops/op-util.h"

#include <string.h>

/* ---- Transpose ---------------------------------------------------------- */

/* perm[i]: which input dimension output dimension i is. */
static gboolean
transpose_get_perm (const TpNode *node, int rank, int *out_perm, GError **error)
{
  int n = 0;
  const gint64 *given = tp_node_get_ints (node, "perm", &n);
  gboolean is_used[TP_MAX_RANK] = { FALSE };

  if (given != NULL && n != rank)
    return tp_op_fail (node, error, "perm has %d values, input 0 has rank %d",
                       n, rank);
  for (int i = 0; i < rank; i++)
    {
      gint64 from = given == NULL ? rank - 1 - i : given[i];

      if (from < 0 || from >= rank || is_used[from])
        return tp_op_fail (node, error,
                           "perm[%d] is %" G_GINT64_FORMAT
                           ", each of 0..%d must occur once",
                           i, from, rank - 1);
      is_used[from] = TRUE;
      out_perm[i] = from;
    }
  return TRUE;
}

static gboolean
transpose_infer (const TpNode *node, const TpTensor *const *inputs,
                 TpShape *outputs, GError **error)
{
  int perm[TP_MAX_RANK];

  if (!transpose_get_perm (node, inputs[0]->rank, perm, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[0]);
  for (int i = 0; i < inputs[0]->rank; i++)
    outputs[0].dims[i] = inputs[0]->dims[perm[i]];
  return TRUE;
}

static gboolean
transpose_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                 GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  TpAccess *load = NULL;
  int perm[TP_MAX_RANK];

  if (!transpose_get_perm (node, x->rank, perm, error))
    return FALSE;
  tp_lowering_add_output_axes (&lowering);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    load->stride[i] = x->strides[perm[i]];
  return tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 0));
}

static void
transpose_reference (const TpNode *node, const TpRefTensor *const *inputs,
                     TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gint64 at[TP_MAX_RANK] = { 0 };
  int perm[TP_MAX_RANK];

  if (!transpose_get_perm (node, x->rank, perm, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      gint64 from[TP_MAX_RANK];
      gint64 index = 0;

      for (int k = 0; k < x->rank; k++)
        from[perm[k]] = at[k];
      for (int k = 0; k < x->rank; k++)
        index = index * x->dims[k] + from[k];
      outputs[0].data[i] = x->data[index];
      tp_dims_next (x->rank, outputs[0].dims, at);
    }
}

static const TpAttrSpec transpose_attrs[] = {
  { "perm", TP_ATTR_INTS, FALSE },
  { 0 },
};

const TpOp tp_op_transpose = {
  .name = "Transpose",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_TURNS,
  .attrs = transpose_attrs,
  .tolerance = 0.0,
  .infer = transpose_infer,
  .lower = transpose_lower,
  .reference = transpose_reference,
  .moves = TP_MOVES (0),
};

/* What a Transpose is that needs no copy; files cannot name it. */
const TpOp tp_op_permute = {
  .name = "Permute",
  .kind = TP_OP_VIEW,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_LAYOUT,
  .attrs = transpose_attrs,
  .tolerance = 0.0,
  .infer = transpose_infer,
  .reference = transpose_reference,
  .moves = TP_MOVES (0),
};

/* ---- Concat ------------------------------------------------------------- */

static gboolean
concat_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  TpShape *out = &outputs[0];
  int axis = 0;

  if (!tp_node_get_axis (node, 1, inputs[0]->rank, &axis, error))
    return FALSE;
  tp_shape_copy (out, inputs[0]);
  for (int i = 1; i < node->n_inputs; i++)
    {
      gboolean is_equal = inputs[i] != NULL && inputs[i]->rank == out->rank;

      for (int k = 0; is_equal && k < out->rank; k++)
        is_equal = k == axis || inputs[i]->dims[k] == out->dims[k];
      if (inputs[i] == NULL)
        return tp_op_fail (node, error, "input %d may not be left out", i);
      if (!is_equal)
        {
          g_autofree char *first =
              tp_dims_to_text (inputs[0]->rank, inputs[0]->dims);
          g_autofree char *other =
              tp_dims_to_text (inputs[i]->rank, inputs[i]->dims);

          return tp_op_fail (node, error,
                             "input %d has shape %s, input 0 %s: they may "
                             "differ in dimension %d only",
                             i, other, first, axis);
        }
      if (!tp_size_add (out->dims[axis], inputs[i]->dims[axis],
                        &out->dims[axis]))
        return tp_op_fail (node, error, "dimension %d is too large", axis);
    }
  return tp_infer_one_dtype (node, inputs, error);
}

/* One nest per input: each copies into its slice of the output. */
static gboolean
concat_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  const TpTensor *out = &graph->tensors[node->outputs[0]];
  gint64 offset = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 1, out->rank, &axis, error))
    return FALSE;
  for (int i = 0; i < node->n_inputs; i++)
    {
      g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
      const TpTensor *x = tp_lowering_get_input (&lowering, i);
      TpAccess *load = NULL;

      if (x->count == 0)
        continue;
      tp_lowering_add_output_axes (&lowering);
      lowering.nest->axes[axis].extent = x->dims[axis];
      lowering.nest->store.offset = offset;
      load = tp_lowering_add_load (&lowering, i);
      memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
      offset += x->dims[axis] * out->strides[axis];
      tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 0));
    }
  return TRUE;
}

static void
concat_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  double *dst = outputs[0].data;
  gint64 n_rows = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 1, outputs[0].rank, &axis, NULL))
    g_assert_not_reached ();
  n_rows = tp_dims_product (outputs[0].dims, 0, axis);
  for (gint64 row = 0; row < n_rows; row++)
    for (int i = 0; i < node->n_inputs; i++)
      {
        gint64 n = inputs[i]->count / n_rows;

        memcpy (dst, inputs[i]->data + row * n, n * sizeof *dst);
        dst += n;
      }
}

const TpOp tp_op_concat = {
  .name = "Concat",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = TP_VARIADIC,
  .n_outputs_max = 1,
  .attrs = tp_attrs_axis,
  .tolerance = 0.0,
  .flags = TP_OP_JOINS,
  .infer = concat_infer,
  .lower = concat_lower,
  .reference = concat_reference,
  .moves = TP_MOVES_ALL,
};

/* ---- Gather ------------------------------------------------------------- */

static gboolean
gather_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  const TpTensor *indices = inputs[1];
  TpShape *out = &outputs[0];
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  if (x->rank - 1 + indices->rank > TP_MAX_RANK)
    return tp_op_fail (node, error, "rank %d is more than %d",
                       x->rank - 1 + indices->rank, TP_MAX_RANK);
  if (!tp_node_check_indices (node, indices, error))
    return FALSE;
  out->dtype = x->dtype;
  out->rank = 0;
  for (int i = 0; i < axis; i++)
    out->dims[out->rank++] = x->dims[i];
  for (int i = 0; i < indices->rank; i++)
    out->dims[out->rank++] = indices->dims[i];
  for (int i = axis + 1; i < x->rank; i++)
    out->dims[out->rank++] = x->dims[i];
  return TRUE;
}

/* Axes are the output's: those of the data before the axis, those of the indices,
 * those of the data after it. */
static gboolean
gather_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
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
  memcpy (load->stride + axis, indices->strides,
          indices->rank * sizeof indices->strides[0]);
  index = tp_nest_load (lowering.nest, 0);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    if (i != axis)
      load->stride[i < axis ? i : i + indices->rank - 1] = x->strides[i];
  tp_access_pick (load, x, axis, index);
  return tp_lowering_finish (&lowering, tp_nest_load (lowering.nest, 1));
}

/* Indices out of range give zeros. */
static void
gather_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const TpRefTensor *indices = inputs[1];
  double *dst = outputs[0].data;
  gint64 n_rows = 0;
  gint64 n = 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  n_rows = tp_dims_product (x->dims, 0, axis);
  n = tp_dims_product (x->dims, axis + 1, x->rank);
  for (gint64 row = 0; row < n_rows; row++)
    for (gint64 i = 0; i < indices->count; i++, dst += n)
      {
        double k = indices->data[i];

        k += k < 0 ? x->dims[axis] : 0;
        if (k >= 0 && k < x->dims[axis])
          memcpy (dst, x->data + (row * x->dims[axis] + (gint64)k) * n,
                  n * sizeof *dst);
        else
          memset (dst, 0, n * sizeof *dst);
      }
}

const TpOp tp_op_gather = {
  .name = "Gather",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 2,
  .n_inputs_max = 2,
  .n_outputs_max = 1,
  .attrs = tp_attrs_axis,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 0.0,
  .infer = gather_infer,
  .lower = gather_lower,
  .reference = gather_reference,
  .moves = TP_MOVES (0),
};

/* ---- Shape -------------------------------------------------------------- */

static void
shape_get_range (const TpNode *node, int rank, int *out_start, int *out_end)
{
  gint64 start = tp_node_get_int (node, "start", 0);
  gint64 end = tp_node_get_int (node, "end", rank);

  *out_start = CLAMP (start < 0 ? start + rank : start, 0, rank);
  *out_end = CLAMP (end < 0 ? end + rank : end, *out_start, rank);
}

static gboolean
shape_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  int start = 0;
  int end = 0;

  shape_get_range (node, inputs[0]->rank, &start, &end);
  outputs[0].dtype = TPLAN_DTYPE_INT64;
  outputs[0].rank = 1;
  outputs[0].dims[0] = end - start;
  return TRUE;
}

static void
shape_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  int start = 0;
  int end = 0;

  shape_get_range (node, inputs[0]->rank, &start, &end);
  for (int i = start; i < end; i++)
    outputs[0].data[i - start] = inputs[0]->dims[i];
}

static const TpAttrSpec shape_attrs[] = {
  { "end", TP_ATTR_INT, FALSE },
  { "start", TP_ATTR_INT, FALSE },
  { 0 },
};

/* Reads no element: known as soon as the shape is. */
const TpOp tp_op_shape = {
  .name = "Shape",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .flags = TP_OP_READS_SHAPE,
  .attrs = shape_attrs,
  .tolerance = 0.0,
  .infer = shape_infer,
  .reference = shape_reference,
};
