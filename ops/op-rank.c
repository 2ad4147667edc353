/* op-rank.c: which elements along one dimension are the greatest or the least: ArgMax,
 * ArgMin, TopK, and what devices run in their place, each with one input more: the
 * positions 0, 1, .. along that dimension (graph/pass-rank.c). */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-along.h"
#include "ops/op-util.h"

#include <string.h>

#define POSITIONS(node) ((node)->n_inputs - 1)

/* ---- positions ----------------------------------------------------------- */

static gboolean
positions_check (const TpNode *node, const TpTensor *const *inputs, int axis,
                 GError **error)
{
  const TpTensor *positions = inputs[POSITIONS (node)];
  gint64 n = inputs[0]->dims[axis];

  return (positions != NULL && positions->dtype == TPLAN_DTYPE_INT64
          && positions->rank == 1 && positions->dims[0] == n)
         || tp_op_fail (node, error,
                        "input %d is not int64 [%" G_GINT64_FORMAT
                        "]: positions along dimension %d are needed",
                        POSITIONS (node), n, axis);
}

/* Expression: input @i of the node at the indices that @load is given then. */
static int
last_load (TpLowering *lowering)
{
  return tp_nest_load (lowering->nest, lowering->nest->n_loads - 1);
}

/* Expression: the position along nest axis @along; 0 where there is none. */
static int
load_position (TpLowering *lowering, int along)
{
  int i = POSITIONS (lowering->node);
  TpAccess *load = tp_lowering_add_load (lowering, i);

  if (along >= 0)
    load->stride[along] = tp_lowering_get_input (lowering, i)->strides[0];
  return last_load (lowering);
}

/* ---- ArgMax, ArgMin ------------------------------------------------------ */

static gboolean
arg_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  gboolean keeps_dims = tp_node_get_int (node, "keepdims", 1) != 0;
  int axis = 0;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  if (x->dims[axis] == 0)
    return tp_op_fail (node, error, "dimension %d of input 0 is empty", axis);
  out->dtype = TPLAN_DTYPE_INT64;
  out->rank = 0;
  for (int i = 0; i < x->rank; i++)
    if (i != axis)
      out->dims[out->rank++] = x->dims[i];
    else if (keeps_dims)
      out->dims[out->rank++] = 1;
  return TRUE;
}

/* Data: what the wanted one is, and the sign that makes it the greatest. */
typedef struct
{
  TpCombiner combiner;
  double sign;
} Extreme;

static void
arg_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const Extreme *extreme = node->op->data;
  gboolean is_last = tp_node_get_int (node, "select_last_index", 0) != 0;
  int axis = 0;
  TpRefRows rows;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  rows = tp_ref_rows_new (x, axis);
  for (gint64 row = 0; row < rows.n_rows; row++)
    {
      const double *values = x->data + tp_ref_rows_start (&rows, row, rows.n);
      gint64 best = 0;

      for (gint64 i = 1; i < rows.n; i++)
        {
          double gain = extreme->sign * (values[i * rows.step]
                                         - values[best * rows.step]);

          if (gain > 0.0 || (gain == 0.0 && is_last))
            best = i;
        }
      outputs[0].data[row] = best;
    }
}

static const TpAttrSpec arg_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "keepdims", TP_ATTR_INT, FALSE },
  { "select_last_index", TP_ATTR_INT, FALSE },
  { 0 },
};

static gboolean
ranked_arg_infer (const TpNode *node, const TpTensor *const *inputs,
                  TpShape *outputs, GError **error)
{
  int axis = 0;

  return arg_infer (node, inputs, outputs, error)
         && tp_node_get_axis (node, 0, inputs[0]->rank, &axis, error)
         && positions_check (node, inputs, axis, error);
}

/* The first, or last, position where the element is the extreme; of NaN alone the
 * last. */
static gboolean
ranked_arg_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                  GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const Extreme *extreme = node->op->data;
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  gboolean keeps_dims = tp_node_get_int (node, "keepdims", 1) != 0;
  gboolean is_last = tp_node_get_int (node, "select_last_index", 0) != 0;
  TpNest *nest = lowering.nest;
  TpAccess *load;
  int axis = 0, to = 0, k, value, best, at, none;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, error))
    return FALSE;
  none = tp_nest_const_integer (nest, is_last ? -1 : x->dims[axis]);
  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, x->dims[axis]);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    if (i != axis)
      load->stride[to++] = x->strides[i];
    else
      to += keeps_dims;
  if (k >= 0)
    load->stride[k] = x->strides[axis];
  value = last_load (&lowering);
  best = tp_lowering_reduce (&lowering, extreme->combiner, value);
  at = tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_EQUAL, value, best),
                       load_position (&lowering, k), none);
  at = tp_lowering_reduce (&lowering,
                           is_last ? TP_COMBINE_MAX : TP_COMBINE_MIN, at);
  at = tp_nest_binary (nest, TP_EXPR_MAX,
                       tp_nest_const_integer (nest, 0),
                       tp_nest_binary (nest, TP_EXPR_MIN,
                                       tp_nest_const_integer (
                                           nest, x->dims[axis] - 1),
                                       at));
  return tp_lowering_finish (&lowering, at);
}

static const Extreme greatest = { TP_COMBINE_MAX, 1.0 };
static const Extreme least = { TP_COMBINE_MIN, -1.0 };

#define ARG                                                                    \
  .kind = TP_OP_REDUCE, .n_outputs_max = 1, .attrs = arg_attrs,                \
  .reference = arg_reference, .ranks = TP_RANKS_ASKED
#define PLAIN_ARG                                                              \
  ARG, .n_inputs_min = 1, .n_inputs_max = 1, .infer = arg_infer
#define RANKED_ARG                                                             \
  ARG, .n_inputs_min = 2, .n_inputs_max = 2, .infer = ranked_arg_infer,        \
  .lower = ranked_arg_lower

const TpOp tp_op_arg_max = { .name = "ArgMax", PLAIN_ARG, .data = &greatest };
const TpOp tp_op_arg_min = { .name = "ArgMin", PLAIN_ARG, .data = &least };
const TpOp tp_op_ranked_arg_max
    = { .name = "RankedArgMax", RANKED_ARG, .data = &greatest };
const TpOp tp_op_ranked_arg_min
    = { .name = "RankedArgMin", RANKED_ARG, .data = &least };

/* ---- TopK ---------------------------------------------------------------- */

/* How many: an attribute before opset 10, then input 1. */
static gboolean
top_k_get_count (const TpNode *node, const TpTensor *const *inputs,
                 gint64 *out_k, GError **error)
{
  TpInts list = { out_k, 1, 0 };

  *out_k = tp_node_get_int (node, "k", -1);
  if (tp_node_has_input (node, 1)
      && !tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  if (*out_k < 0)
    return tp_op_fail (node, error,
                       "k is %" G_GINT64_FORMAT " or not given: say how many",
                       *out_k);
  return TRUE;
}

static gboolean
top_k_infer (const TpNode *node, const TpTensor *const *inputs,
             TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  int axis = 0;
  gint64 k = 0;

  if (!tp_node_get_axis (node, -1, x->rank, &axis, error)
      || !top_k_get_count (node, inputs, &k, error))
    return FALSE;
  if (k > x->dims[axis])
    return tp_op_fail (node, error,
                       "k is %" G_GINT64_FORMAT ", dimension %d has only "
                       "%" G_GINT64_FORMAT " elements",
                       k, axis, x->dims[axis]);
  for (int i = 0; i < node->n_outputs; i++)
    {
      tp_shape_copy (&outputs[i], x);
      outputs[i].dims[axis] = k;
    }
  if (node->n_outputs > 1)
    outputs[1].dtype = TPLAN_DTYPE_INT64;
  return TRUE;
}

typedef struct
{
  double key;                 /* least first */
  gint64 index;
} Ranked;

static int
compare_ranked (const void *a, const void *b)
{
  const Ranked *x = a;
  const Ranked *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

/* All sorted, of equal ones the first; the first k are taken. */
static void
top_k_reference (const TpNode *node, const TpRefTensor *const *inputs,
                 TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  gboolean is_largest = tp_node_get_int (node, "largest", 1) != 0;
  g_autofree Ranked *ranked = NULL;
  int axis = 0;
  gint64 k = 0;
  TpRefRows rows;

  if (!tp_node_get_axis (node, -1, x->rank, &axis, NULL))
    g_assert_not_reached ();
  rows = tp_ref_rows_new (x, axis);
  k = outputs[0].dims[axis];
  ranked = tp_new (Ranked, rows.n + 1);
  for (gint64 row = 0; row < rows.n_rows; row++)
    {
      const double *values = x->data + tp_ref_rows_start (&rows, row, rows.n);
      gint64 start = tp_ref_rows_start (&rows, row, k);

      for (gint64 i = 0; i < rows.n; i++)
        ranked[i] = (Ranked){ is_largest ? -values[i * rows.step]
                                         : values[i * rows.step],
                              i };
      qsort (ranked, rows.n, sizeof ranked[0], compare_ranked);
      for (gint64 i = 0; i < k; i++)
        {
          gint64 at = start + i * rows.step;

          outputs[0].data[at] = values[ranked[i].index * rows.step];
          if (node->n_outputs > 1)
            outputs[1].data[at] = ranked[i].index;
        }
    }
}

static const TpAttrSpec top_k_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "k", TP_ATTR_INT, FALSE },
  { "largest", TP_ATTR_INT, FALSE },
  { "sorted", TP_ATTR_INT, FALSE },
  { 0 },
};

static gboolean
ranked_top_k_infer (const TpNode *node, const TpTensor *const *inputs,
                    TpShape *outputs, GError **error)
{
  int axis = 0;

  return top_k_infer (node, inputs, outputs, error)
         && tp_node_get_axis (node, -1, inputs[0]->rank, &axis, error)
         && positions_check (node, inputs, axis, error);
}

/* The ranks of elements along a dimension. */
typedef struct
{
  int scratch;                /* as x, row-major */
  int axis;
} Ranks;

static TpAccess
ranks_access (const TpLowering *lowering, const Ranks *ranks)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess access = { .operand = ranks->scratch, .dtype = TPLAN_DTYPE_INT32,
                      .index = -1 };
  gint64 step = 1;

  for (int i = x->rank - 1; i >= 0; i--)
    {
      access.stride[i] = step;
      step *= x->dims[i];
    }
  return access;
}

/* How many elements come before each: those beyond it, and equal ones that stand
 * before it. */
static void
lower_ranks (TpLowering *lowering, const Ranks *ranks)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  gboolean is_largest = tp_node_get_int (lowering->node, "largest", 1) != 0;
  TpNest *nest = lowering->nest;
  int k, mine, other, before, earlier;
  TpAccess *load;

  nest->store = ranks_access (lowering, ranks);
  for (int i = 0; i < x->rank; i++)
    tp_nest_add_axis (nest, x->dims[i], FALSE);
  k = tp_lowering_add_reduce_axis (lowering, x->dims[ranks->axis]);
  load = tp_lowering_add_load (lowering, 0);
  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  mine = last_load (lowering);
  load = tp_lowering_add_load (lowering, 0);
  memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
  load->stride[ranks->axis] = 0;
  if (k >= 0)
    load->stride[k] = x->strides[ranks->axis];
  other = last_load (lowering);
  before = tp_nest_binary (nest, TP_EXPR_LESS, is_largest ? mine : other,
                           is_largest ? other : mine);
  earlier = tp_nest_binary (nest, TP_EXPR_LESS, load_position (lowering, k),
                            load_position (lowering, ranks->axis));
  earlier = tp_nest_select (nest,
                            tp_nest_binary (nest, TP_EXPR_EQUAL, mine, other),
                            earlier, tp_nest_const_integer (nest, 0));
  tp_lowering_finish (
      lowering,
      tp_lowering_reduce (lowering, TP_COMBINE_SUM,
                          tp_nest_select (nest, before,
                                          tp_nest_const_integer (nest, 1),
                                          earlier)));
}

/* Output @output at position r: of x, or of the positions, what has rank r. */
static void
lower_taken (TpLowering *lowering, const Ranks *ranks, int output)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpNest *nest = lowering->nest;
  TpAccess access = ranks_access (lowering, ranks);
  int k, rank, value, zero;
  TpAccess *load;

  tp_lowering_add_output_axes (lowering);
  k = tp_lowering_add_reduce_axis (lowering, x->dims[ranks->axis]);
  load = tp_nest_add_load (nest, ranks->scratch);
  load->dtype = access.dtype;
  memcpy (load->stride, access.stride, x->rank * sizeof access.stride[0]);
  load->stride[ranks->axis] = 0;
  if (k >= 0)
    load->stride[k] = access.stride[ranks->axis];
  rank = last_load (lowering);
  if (output == 0)
    {
      load = tp_lowering_add_load (lowering, 0);
      memcpy (load->stride, x->strides, x->rank * sizeof x->strides[0]);
      load->stride[ranks->axis] = 0;
      if (k >= 0)
        load->stride[k] = x->strides[ranks->axis];
      value = last_load (lowering);
    }
  else
    value = load_position (lowering, k);
  zero = nest->exprs[value].is_integer ? tp_nest_const_integer (nest, 0)
                                       : tp_nest_const (nest, 0.0);
  value = tp_nest_select (
      nest,
      tp_nest_binary (nest, TP_EXPR_EQUAL, rank,
                      load_position (lowering, ranks->axis)),
      value, zero);
  tp_lowering_finish (lowering,
                      tp_lowering_reduce (lowering, TP_COMBINE_SUM, value));
}

static gboolean
ranked_top_k_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  int first = node->outputs[0] >= 0 ? 0 : 1;
  g_auto (TpLowering) lowering
      = tp_lowering_new_output (graph, node, lowered, first);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  Ranks ranks = { 0 };

  if (!tp_node_get_axis (node, -1, x->rank, &ranks.axis, error))
    return FALSE;
  if (x->count == 0 || lowering.out->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty",
                         lowering.out->name);
  if (x->dims[ranks.axis] > G_MAXINT32)
    return tp_op_refuse (node, error, "dimension %d is too long", ranks.axis);
  ranks.scratch
      = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_INT32, x->count);
  lower_ranks (&lowering, &ranks);
  for (int i = first; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      {
        g_auto (TpLowering) taken
            = tp_lowering_new_output (graph, node, lowered, i);

        lower_taken (&taken, &ranks, i);
      }
  return TRUE;
}

#define TOP_K                                                                  \
  .kind = TP_OP_REDUCE, .n_outputs_max = 2, .attrs = top_k_attrs,              \
  .reference = top_k_reference, .ranks = TP_RANKS_TAKEN

const TpOp tp_op_top_k = { .name = "TopK", TOP_K, .n_inputs_min = 1,
                           .n_inputs_max = 2, .infer = top_k_infer };
const TpOp tp_op_ranked_top_k
    = { .name = "RankedTopK", TOP_K, .n_inputs_min = 3, .n_inputs_max = 3,
        .infer = ranked_top_k_infer, .lower = ranked_top_k_lower };
