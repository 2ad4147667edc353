/* op-scatter.c: ScatterND and ScatterElements: a tensor with some of its elements
 * replaced, or combined with others. pass-scatter.c makes Gathers of those whose
 * indices are constant. */
#include "config.h"

#include "ops/op-scatter.h"

#include "ir/guard.h"
#include "ops/scatter.h"

#include <string.h>

enum
{
  REPLACE,
  ADD,
  MULTIPLY,
  SMALLER,
  LARGER,
};

static const char *const reductions[] = { "none", "add", "mul", "min", "max" };

static gboolean
find_reduction (const TpNode *node, int *out, GError **error)
{
  const char *name = tp_node_get_string (node, "reduction", "none");

  for (*out = 0; *out < (int) G_N_ELEMENTS (reductions); ++*out)
    if (strcmp (reductions[*out], name) == 0)
      return TRUE;
  return tp_op_refuse (node, error, "reduction '%s' is not known", name);
}

/* The data of the records. */
typedef struct
{
  gboolean is_nd;
} ScatterKind;

static gboolean
is_scatter_nd (const TpNode *node)
{
  const ScatterKind *kind = node->op->data;

  return kind->is_nd;
}

static gboolean
refuse_shapes (const TpNode *node, const TpTensor *const *inputs,
               GError **error)
{
  g_autofree char *x = tp_dims_to_text (inputs[0]->rank, inputs[0]->dims);
  g_autofree char *indices = tp_dims_to_text (inputs[1]->rank, inputs[1]->dims);
  g_autofree char *updates = tp_dims_to_text (inputs[2]->rank, inputs[2]->dims);

  return tp_op_fail (node, error,
                     "data %s, indices %s and updates %s do not go together", x,
                     indices, updates);
}

/* Updates are blocks of the last dimensions of the data, one per position. */
static gboolean
check_nd (const TpNode *node, const TpTensor *const *inputs, GError **error)
{
  const TpTensor *x = inputs[0], *indices = inputs[1], *updates = inputs[2];
  int n = indices->rank - 1;  /* dimensions of positions */
  gint64 k = indices->rank > 0 ? indices->dims[indices->rank - 1] : 0;
  gboolean is_fit = k >= 1 && k <= x->rank && updates->rank == n + x->rank - k;

  for (int i = 0; is_fit && i < updates->rank; i++)
    is_fit = updates->dims[i] == (i < n ? indices->dims[i]
                                        : x->dims[k + i - n]);
  return is_fit || refuse_shapes (node, inputs, error);
}

static gboolean
check_elements (const TpNode *node, const TpTensor *const *inputs,
                GError **error)
{
  const TpTensor *x = inputs[0], *indices = inputs[1], *updates = inputs[2];
  gboolean is_fit = indices->rank == x->rank && updates->rank == x->rank;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  for (int i = 0; is_fit && i < x->rank; i++)
    is_fit = updates->dims[i] == indices->dims[i]
             && (i == axis || indices->dims[i] <= x->dims[i]);
  return is_fit || refuse_shapes (node, inputs, error);
}

static gboolean
scatter_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  int reduction = 0;

  if (!tp_node_check_indices (node, inputs[1], error))
    return FALSE;
  if (inputs[0]->dtype != inputs[2]->dtype)
    return tp_op_fail (node, error, "the data are %s and the updates %s",
                       tp_dtype_get_name (inputs[0]->dtype),
                       tp_dtype_get_name (inputs[2]->dtype));
  tp_shape_copy (&outputs[0], inputs[0]);
  return find_reduction (node, &reduction, error)
         && (is_scatter_nd (node) ? check_nd (node, inputs, error)
                                  : check_elements (node, inputs, error));
}

gboolean
tp_scatter_replaces (const TpNode *node)
{
  int reduction = 0;

  return find_reduction (node, &reduction, NULL) && reduction == REPLACE;
}

/* ---- which element each update is for ------------------------------------ */

TpScatter
tp_scatter_new (const TpNode *node, int rank, const gint64 *dims, int index_rank,
                const gint64 *index_dims)
{
  TpScatter scatter = { .is_nd = is_scatter_nd (node), .rank = rank,
                        .n_named = rank };

  memcpy (scatter.dims, dims, rank * sizeof dims[0]);
  memcpy (scatter.index_dims, index_dims, index_rank * sizeof index_dims[0]);
  scatter.n_updates = tp_dims_product (index_dims, 0, index_rank);
  if (scatter.is_nd)
    {
      scatter.n_named = index_dims[index_rank - 1];
      scatter.n_updates /= scatter.n_named;
    }
  else if (!tp_node_get_axis (node, 0, rank, &scatter.axis, NULL))
    g_assert_not_reached ();
  scatter.n_blocks = tp_dims_product (dims, 0, scatter.n_named);
  scatter.block_size = tp_dims_product (dims, scatter.n_named, rank);
  return scatter;
}

gint64
tp_scatter_find (const TpScatter *scatter, const double *indices, gint64 update)
{
  gint64 block = 0;
  gint64 at[TP_MAX_RANK];
  gint64 rest = update;

  for (int i = scatter->n_named - 1; !scatter->is_nd && i >= 0; i--)
    {
      at[i] = rest % scatter->index_dims[i];
      rest /= scatter->index_dims[i];
    }
  for (int i = 0; i < scatter->n_named; i++)
    {
      gint64 extent = scatter->dims[i];
      double k = scatter->is_nd         ? indices[update * scatter->n_named + i]
                 : i == scatter->axis   ? indices[update]
                                        : at[i];

      k += k < 0 ? extent : 0;
      if (!(k >= 0 && k < extent))
        return -1;
      block = block * extent + (gint64) k;
    }
  return block;
}

/* ---- lowering: the data, then one update after the other ------------------ */

/* Expression: @update, or what it makes of what is where it is stored. */
static int
combine_expr (TpLowering *lowering, int reduction, int update)
{
  static const TpExprOp ops[] = {
    [ADD] = TP_EXPR_ADD,
    [MULTIPLY] = TP_EXPR_MUL,
    [SMALLER] = TP_EXPR_MIN,
    [LARGER] = TP_EXPR_MAX,
  };
  TpNest *nest = lowering->nest;

  if (reduction == REPLACE)
    return update;
  *tp_nest_add_load (nest, nest->store.operand) = nest->store;
  return tp_nest_binary (nest, ops[reduction], tp_lowering_last_load (lowering),
                         update);
}

/* Updates along the axis take turns, so that none of one turn meet. Every access picks
 * by the same index. */
static void
add_element_updates (TpLowering *lowering, int axis, int reduction)
{
  const TpTensor *indices = tp_lowering_get_input (lowering, 1);
  const TpTensor *updates = tp_lowering_get_input (lowering, 2);
  const TpTensor *out = lowering->out;
  TpNest *nest = lowering->nest;
  TpAccess *load = tp_lowering_add_load (lowering, 1);
  int at, update;

  for (int i = 0; i < out->rank; i++)
    tp_lowering_add_axis (lowering, i == axis ? 1 : indices->dims[i],
                          i == axis ? 0 : out->strides[i]);
  memcpy (load->stride, indices->strides, out->rank * sizeof load->stride[0]);
  load->step = indices->strides[axis];
  at = tp_lowering_last_load (lowering);
  load = tp_lowering_add_load (lowering, 2);
  memcpy (load->stride, updates->strides, out->rank * sizeof load->stride[0]);
  load->step = updates->strides[axis];
  update = tp_lowering_last_load (lowering);
  tp_access_pick (&nest->store, out, axis, at);
  tp_lowering_finish (lowering, combine_expr (lowering, reduction, update));
}

static gboolean
scatter_elements_lower (const TpGraph *graph, const TpNode *node,
                        TpLowered *lowered, GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *indices = tp_lowering_get_input (&lowering, 1);
  int reduction = 0, axis = 0;

  if (!find_reduction (node, &reduction, error)
      || !tp_node_get_axis (node, 0, lowering.out->rank, &axis, error))
    return FALSE;
  if (lowering.out->count == 0 || indices->count == 0)
    return tp_op_refuse (node, error, "a tensor of it is empty");
  if (!tp_lower_pass (graph, node, lowered, error))
    return FALSE;
  add_element_updates (&lowering, axis, reduction);
  lowered->first_repeated = 1;
  lowered->n_iterations = indices->dims[axis];
  return TRUE;
}

/* ---- lowering of ScatterND ------------------------------------------------ */

/* A block is known by how many times @unit elements it lies behind the first;
 * @extent: it is none. */
typedef struct
{
  int n_named;
  gint64 unit, extent;
} Blocks;

static Blocks
blocks_new (const TpTensor *out, int n_named)
{
  Blocks blocks = { n_named, 0, 1 };

  for (int i = 0; i < n_named; i++)
    if (out->dims[i] > 1)
      blocks.unit = tp_gcd (blocks.unit, out->strides[i]);
  blocks.unit = MAX (blocks.unit, 1);
  for (int i = 0; i < n_named; i++)
    blocks.extent += (out->dims[i] - 1) * (out->strides[i] / blocks.unit);
  return blocks;
}

/* Expression: the block that a position of the indices names. */
static int
find_block (TpLowering *lowering, const Blocks *blocks)
{
  const TpTensor *indices = tp_lowering_get_input (lowering, 1);
  const TpTensor *out = lowering->out;
  TpNest *nest = lowering->nest;
  int n = indices->rank - 1, zero = tp_nest_const_integer (nest, 0);
  int block = zero, is_one = tp_nest_const_integer (nest, 1);

  for (int i = 0; i < blocks->n_named; i++)
    {
      TpAccess *load = tp_lowering_add_load (lowering, 1);
      int extent = tp_nest_const_integer (nest, out->dims[i]);
      int step
          = tp_nest_const_integer (nest, out->strides[i] / blocks->unit);
      int k;

      memcpy (load->stride, indices->strides, n * sizeof load->stride[0]);
      load->offset = i * indices->strides[n];
      k = tp_lowering_last_load (lowering);
      k = tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_LESS, k, zero),
                          tp_nest_binary (nest, TP_EXPR_ADD, k, extent), k);
      is_one = tp_nest_select (
          nest, tp_nest_binary (nest, TP_EXPR_LESS, k, zero), zero,
          tp_nest_binary (nest, TP_EXPR_AND, is_one,
                          tp_nest_binary (nest, TP_EXPR_LESS, k, extent)));
      block = tp_nest_binary (nest, TP_EXPR_ADD, block,
                              tp_nest_binary (nest, TP_EXPR_MUL, k, step));
    }
  return tp_nest_select (nest, is_one, block,
                         tp_nest_const_integer (nest, blocks->extent));
}

/* Scratch: the block of each update, one after the other. */
static int
find_blocks (const TpLowering *like, const Blocks *blocks, gint64 n_updates)
{
  g_auto (TpLowering) find
      = tp_lowering_new (like->graph, like->node, like->lowered);
  const TpTensor *indices = tp_lowering_get_input (&find, 1);
  int to = tp_lowered_add_scratch (find.lowered, TPLAN_DTYPE_INT64, n_updates);
  int n = indices->rank - 1;

  find.nest->store = (TpAccess){ .operand = to, .dtype = TPLAN_DTYPE_INT64, .index = -1 };
  for (int i = 0; i < n; i++)
    tp_lowering_add_axis (&find, indices->dims[i],
                          tp_dims_product (indices->dims, i + 1, n));
  tp_lowering_finish (&find, find_block (&find, blocks));
  return to;
}

/* Whether the first @n dimensions are one whose elements are as far apart as those of
 * the last of them. */
static gboolean
is_one_dimension (const TpTensor *x, int n, const gint64 *strides)
{
  for (int i = n - 2; i >= 0; i--)
    if (x->dims[i] > 1 && strides[i] != strides[n - 1] * tp_dims_product (x->dims, i + 1, n))
      return FALSE;
  return TRUE;
}

/* A load of the update whose turn it is, along the axes of the block. */
static TpAccess
find_update (const TpLowering *like)
{
  const TpTensor *updates = tp_lowering_get_input (like, 2);
  int n = tp_lowering_get_input (like, 1)->rank - 1;
  TpAccess load = { .dtype = updates->dtype, .index = -1 };
  gint64 strides[TP_MAX_RANK];

  memcpy (strides, updates->strides, updates->rank * sizeof strides[0]);
  if (is_one_dimension (updates, n, strides))
    load.operand = tp_lowered_get_tensor (like->lowered, like->graph,
                                          like->node->inputs[2]);
  else
    load.operand = tp_lowering_copy_dense (like, 2, strides);
  load.step = n > 0 ? strides[n - 1] : 0;
  memcpy (load.stride, strides + n, (updates->rank - n) * sizeof strides[0]);
  return load;
}

static gboolean
scatter_nd_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *indices = tp_lowering_get_input (&lowering, 1);
  const TpTensor *out = lowering.out;
  TpNest *nest = lowering.nest;
  Blocks blocks = blocks_new (out, indices->dims[indices->rank - 1]);
  gint64 n_updates = indices->count / blocks.n_named;
  TpAccess update = { 0 }, *load = NULL;
  int reduction = 0, from;

  if (!find_reduction (node, &reduction, error))
    return FALSE;
  if (out->count == 0 || indices->count == 0)
    return tp_op_refuse (node, error, "a tensor of it is empty");
  if (!tp_lower_pass (graph, node, lowered, error))
    return FALSE;
  from = find_blocks (&lowering, &blocks, n_updates);
  update = find_update (&lowering);
  lowered->first_repeated = lowered->n_nests;
  lowered->n_iterations = n_updates;
  for (int i = blocks.n_named; i < out->rank; i++)
    tp_lowering_add_axis (&lowering, out->dims[i], out->strides[i]);
  load = tp_nest_add_load (nest, from);
  load->dtype = TPLAN_DTYPE_INT64;
  load->step = 1;
  nest->store.index = tp_lowering_last_load (&lowering);
  nest->store.index_stride = blocks.unit;
  nest->store.index_extent = blocks.extent;
  *tp_nest_add_load (nest, update.operand) = update;
  return tp_lowering_finish (
      &lowering,
      combine_expr (&lowering, reduction, tp_lowering_last_load (&lowering)));
}

/* ---- reference ----------------------------------------------------------- */

static double
combine (int reduction, double old, double update)
{
  switch (reduction)
    {
    case ADD:
      return old + update;
    case MULTIPLY:
      return old * update;
    case SMALLER:
      return MIN (old, update);
    case LARGER:
      return MAX (old, update);
    default:
      return update;
    }
}

/* In the order of the updates; those out of range are left out. */
static void
scatter_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  TpRefTensor *out = &outputs[0];
  TpScatter scatter
      = tp_scatter_new (node, inputs[0]->rank, inputs[0]->dims,
                        inputs[1]->rank, inputs[1]->dims);
  int reduction = 0;

  if (!find_reduction (node, &reduction, NULL))
    g_assert_not_reached ();
  memcpy (out->data, inputs[0]->data, out->count * sizeof out->data[0]);
  for (gint64 i = 0; i < scatter.n_updates; i++)
    {
      gint64 block = tp_scatter_find (&scatter, inputs[1]->data, i);

      for (gint64 k = 0; block >= 0 && k < scatter.block_size; k++)
        {
          double *to = &out->data[block * scatter.block_size + k];

          *to = combine (reduction, *to,
                         inputs[2]->data[i * scatter.block_size + k]);
          if (tp_dtype_is_integer (out->dtype))
            *to = tp_reference_to_integer (*to, out->dtype);
        }
    }
}

static gint64
combine_integers (int reduction, gint64 old, gint64 update)
{
  switch (reduction)
    {
    case ADD:
      return (gint64) ((guint64) old + (guint64) update);
    case MULTIPLY:
      return (gint64) ((guint64) old * (guint64) update);
    case SMALLER:
      return MIN (old, update);
    case LARGER:
      return MAX (old, update);
    default:
      return update;
    }
}

static void
scatter_reference_integer (const TpNode *node, const TpRefTensor *const *inputs,
                           TpRefTensor *outputs)
{
  TpRefTensor *out = &outputs[0];
  TpScatter scatter
      = tp_scatter_new (node, inputs[0]->rank, inputs[0]->dims,
                        inputs[1]->rank, inputs[1]->dims);
  g_autofree double *indices = tp_new (double, inputs[1]->count + 1);
  int reduction = 0;

  if (!find_reduction (node, &reduction, NULL))
    g_assert_not_reached ();
  for (gint64 i = 0; i < inputs[1]->count; i++)
    indices[i] = (double) inputs[1]->integers[i];
  memcpy (out->integers, inputs[0]->integers, out->count * sizeof (gint64));
  for (gint64 i = 0; i < scatter.n_updates; i++)
    {
      gint64 block = tp_scatter_find (&scatter, indices, i);

      for (gint64 k = 0; block >= 0 && k < scatter.block_size; k++)
        {
          gint64 *to = &out->integers[block * scatter.block_size + k];

          *to = tp_dtype_wrap (
              out->dtype,
              combine_integers (
                  reduction, *to,
                  inputs[2]->integers[i * scatter.block_size + k]));
        }
    }
}

static const TpAttrSpec scatter_nd_attrs[] = {
  { "reduction", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_scatter_nd = {
  .name = "ScatterND",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = scatter_nd_attrs,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 1e-5,
  .data = &(const ScatterKind){ .is_nd = TRUE },
  .infer = scatter_infer,
  .lower = scatter_nd_lower,
  .reference = scatter_reference,
  .reference_integer = scatter_reference_integer,
};

static const TpAttrSpec scatter_elements_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "reduction", TP_ATTR_STRING, FALSE },
  { 0 },
};

const TpOp tp_op_scatter_elements = {
  .name = "ScatterElements",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = scatter_elements_attrs,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 1e-5,
  .data = &(const ScatterKind){ .is_nd = FALSE },
  .infer = scatter_infer,
  .lower = scatter_elements_lower,
  .reference = scatter_reference,
  .reference_integer = scatter_reference_integer,
};

/* ScatterElements until opset 10. */
const TpOp tp_op_scatter = {
  .name = "Scatter",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 3,
  .n_inputs_max = 3,
  .n_outputs_max = 1,
  .attrs = scatter_elements_attrs,
  .domain = TP_DOMAIN_INDEX,
  .tolerance = 1e-5,
  .data = &(const ScatterKind){ .is_nd = FALSE },
  .infer = scatter_infer,
  .lower = scatter_elements_lower,
  .reference = scatter_reference,
  .reference_integer = scatter_reference_integer,
};
