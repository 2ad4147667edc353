/* op-top-k.c: TopK: order statistics say where its elements stand. */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-along.h"
#include "ops/op-rank.h"
#include "ops/op-util.h"

#include <string.h>

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

/* What is worked out of a TopK. */
typedef struct
{
  const TpGraph *graph;
  const TpNode *node;
  TpLowered *lowered;
  const TpTensor *x;
  int axis;
  int places;                 /* scratch: where the elements stand, as outputs lie */
} Top;

static gboolean
is_wanted (const TpNode *node, int output)
{
  return output < node->n_outputs && node->outputs[output] >= 0;
}

static TpLowering
top_new_nest (const Top *top, int output)
{
  return tp_lowering_new_output (top->graph, top->node, top->lowered, output);
}

/* @access walks what lies dense in the shape of the output. */
static void
walk_dense (const TpLowering *lowering, TpAccess *access)
{
  gint64 step = 1;

  for (int i = lowering->out->rank - 1; i >= 0; i--)
    {
      access->stride[i] = step;
      step *= lowering->out->dims[i];
    }
}

/* Expression: the places, of the element type of scratch. */
static int
rank_elements (TpLowering *lowering, const Top *top)
{
  gboolean is_largest = tp_node_get_int (top->node, "largest", 1) != 0;
  TpNest *nest = lowering->nest;
  int k, value;

  nest->axes[top->axis].is_rank = TRUE;
  k = tp_lowering_add_reduce_axis (lowering, top->x->dims[top->axis]);
  if (k < 0)
    {
      nest->axes[top->axis].is_rank = FALSE;
      return tp_nest_const_integer (nest, 0);
    }
  value = tp_rank_load_rows (lowering, top->axis, TRUE, k);
  if (!is_largest && nest->exprs[value].is_integer) /* which does not overflow */
    value = tp_nest_binary (nest, TP_EXPR_SUB, tp_nest_const_integer (nest, -1),
                            value);
  else if (!is_largest)
    value = tp_nest_unary (nest, TP_EXPR_NEG, value);
  return tp_lowering_reduce (lowering, TP_COMBINE_PLACE, value);
}

/* Into scratch, or output @output. */
static void
lower_places (const Top *top, int output, gboolean is_scratch)
{
  g_auto (TpLowering) lowering = top_new_nest (top, output);

  tp_lowering_add_output_axes (&lowering);
  if (is_scratch)
    {
      lowering.nest->store = (TpAccess){ .operand = top->places,
                                         .dtype = TPLAN_DTYPE_INT64, .index = -1 };
      walk_dense (&lowering, &lowering.nest->store);
    }
  tp_lowering_finish (&lowering, rank_elements (&lowering, top));
}

static void
lower_picked (const Top *top, int output)
{
  g_auto (TpLowering) lowering = top_new_nest (top, output);
  TpAccess *load = tp_nest_add_load (lowering.nest, top->places);
  int value;

  load->dtype = TPLAN_DTYPE_INT64;
  tp_lowering_add_output_axes (&lowering);
  walk_dense (&lowering, load);
  value = tp_lowering_last_load (&lowering);
  if (output == 0)
    {
      load = tp_lowering_add_load (&lowering, 0);
      memcpy (load->stride, top->x->strides,
              top->x->rank * sizeof load->stride[0]);
      load->stride[top->axis] = 0;
      tp_access_pick (load, top->x, top->axis, value);
      value = tp_lowering_last_load (&lowering);
    }
  tp_lowering_finish (&lowering, value);
}

/* Where they stand is found first, and then they are. */
static gboolean
top_k_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
             GError **error)
{
  const TpTensor *x = &graph->tensors[node->inputs[0]], *out;
  Top top = { graph, node, lowered, x, 0, -1 };

  out = &graph->tensors[node->outputs[is_wanted (node, 0) ? 0 : 1]];
  if (!tp_node_get_axis (node, -1, x->rank, &top.axis, error))
    return FALSE;
  if (x->count == 0 || out->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", out->name);
  if (!is_wanted (node, 0))
    {
      lower_places (&top, 1, FALSE);
      return TRUE;
    }
  top.places = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_INT64, out->count);
  lower_places (&top, 0, TRUE);
  for (int i = 0; i < 2; i++)
    if (is_wanted (node, i))
      lower_picked (&top, i);
  return TRUE;
}

const TpOp tp_op_top_k
    = { .name = "TopK", .kind = TP_OP_REDUCE, .n_inputs_min = 1,
        .n_inputs_max = 2, .n_outputs_max = 2, .attrs = top_k_attrs,
        .infer = top_k_infer, .lower = top_k_lower,
        .reference = top_k_reference, .ranks = TP_RANKS_TAKEN };
