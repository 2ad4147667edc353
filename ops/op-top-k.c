/* op-top-k.c: TopK, and what devices run in its place, which is told the positions along
 * the dimension. Few are found one after the other, each kernel repeated for each; of
 * more, each element is asked how many come before it. */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-along.h"
#include "ops/op-rank.h"
#include "ops/op-util.h"

#include <math.h>
#include <string.h>

#define TURN 4000             /* elements looked at while kernels begin */

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
         && tp_rank_check_positions (node, inputs, axis, error);
}

/* What is worked out of a TopK. */
typedef struct
{
  const TpGraph *graph;
  const TpNode *node;
  TpLowered *lowered;
  const TpTensor *x;
  int axis;
  gint64 n, k;
  gboolean is_largest;
} Top;

/* Expression: element of @scratch, reals in the shape of x and row-major, at the axes of
 * the nest, along @k in place of @axis if that is not -1. */
static int
load_scratch (TpLowering *lowering, const Top *top, int scratch, int k)
{
  TpAccess *load = tp_nest_add_load (lowering->nest, scratch);
  gint64 step = 1;

  for (int i = top->x->rank - 1; i >= 0; i--)
    {
      if (i != top->axis || k == i)
        load->stride[i] = step;
      else if (k >= 0)
        load->stride[k] = step;
      step *= top->x->dims[i];
    }
  return tp_lowering_last_load (lowering);
}

/* The same, to be stored, at all axes of x. */
static void
store_scratch (TpLowering *lowering, const Top *top, int scratch)
{
  TpNest *nest = lowering->nest;
  gint64 step = 1;

  nest->store = (TpAccess){ .operand = scratch, .dtype = TPLAN_DTYPE_FLOAT32,
                            .index = -1 };
  for (int i = 0; i < top->x->rank; i++)
    tp_nest_add_axis (nest, top->x->dims[i], FALSE);
  for (int i = top->x->rank - 1; i >= 0; i--)
    {
      nest->store.stride[i] = step;
      step *= top->x->dims[i];
    }
}

static TpLowering
top_new_nest (const Top *top, int output)
{
  return tp_lowering_new_output (top->graph, top->node, top->lowered, output);
}

static int
top_get_first (const Top *top)
{
  return top->node->outputs[0] >= 0 ? 0 : 1;
}

/* ---- TopK of many: ranks ---- */

/* How many elements come before each: those beyond it, and equal ones that stand
 * before it. */
static void
lower_ranks (const Top *top, int ranks)
{
  g_auto (TpLowering) lowering = top_new_nest (top, top_get_first (top));
  TpNest *nest = lowering.nest;
  int k, mine, other, before, earlier;

  store_scratch (&lowering, top, ranks);
  k = tp_lowering_add_reduce_axis (&lowering, top->n);
  mine = tp_rank_load_rows (&lowering, top->axis, TRUE, top->axis);
  other = tp_rank_load_rows (&lowering, top->axis, TRUE, k);
  before = tp_nest_binary (nest, TP_EXPR_LESS, top->is_largest ? mine : other,
                           top->is_largest ? other : mine);
  earlier = tp_nest_binary (nest, TP_EXPR_LESS, tp_rank_load_position (&lowering, k),
                            tp_rank_load_position (&lowering, top->axis));
  earlier = tp_nest_select (nest,
                            tp_nest_binary (nest, TP_EXPR_EQUAL, mine, other),
                            earlier, tp_nest_const (nest, 0.0));
  before = tp_nest_select (nest, before, tp_nest_const (nest, 1.0), earlier);
  tp_lowering_finish (&lowering,
                      tp_lowering_reduce (&lowering, TP_COMBINE_SUM, before));
}

/* Output @output at position r: of x, or of the positions, what has rank r. */
static void
lower_ranked (const Top *top, int ranks, int output)
{
  g_auto (TpLowering) lowering = top_new_nest (top, output);
  TpNest *nest = lowering.nest;
  int k, rank, value, zero;

  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, top->n);
  rank = load_scratch (&lowering, top, ranks, k);
  value = output == 0 ? tp_rank_load_rows (&lowering, top->axis, TRUE, k)
                      : tp_rank_load_position (&lowering, k);
  zero = nest->exprs[value].is_integer ? tp_nest_const_integer (nest, 0)
                                       : tp_nest_const (nest, 0.0);
  value = tp_nest_select (
      nest,
      tp_nest_binary (nest, TP_EXPR_EQUAL, rank,
                      tp_rank_load_position (&lowering, top->axis)),
      value, zero);
  value = tp_lowering_reduce (&lowering, TP_COMBINE_SUM, value);
  if (output == 1)
    value = tp_nest_unary (nest, TP_EXPR_TO_INTEGER, value);
  tp_lowering_finish (&lowering, value);
}

static void
lower_by_ranks (const Top *top)
{
  int ranks = tp_lowered_add_scratch (top->lowered, TPLAN_DTYPE_FLOAT32,
                                      top->x->count);

  lower_ranks (top, ranks);
  for (int i = 0; i < top->node->n_outputs; i++)
    if (top->node->outputs[i] >= 0)
      lower_ranked (top, ranks, i);
}

/* ---- TopK of few: one after the other ---- */

typedef struct
{
  int taken;                  /* scratch as x: 1 where it has been output */
  int place;                  /* scratch: the position of the next */
} Turn;

static void
lower_nothing_taken (const Top *top, const Turn *turn)
{
  g_auto (TpLowering) lowering = top_new_nest (top, top_get_first (top));

  store_scratch (&lowering, top, turn->taken);
  tp_lowering_finish (&lowering, tp_nest_const (lowering.nest, 0.0));
}

/* Axes of x but the one that is ranked, which is of one element; @access runs along
 * them over what is dense. */
static void
add_row_axes (TpLowering *lowering, const Top *top, TpAccess *access)
{
  gint64 step = 1;

  for (int i = 0; i < top->x->rank; i++)
    tp_nest_add_axis (lowering->nest, i == top->axis ? 1 : top->x->dims[i],
                      FALSE);
  for (int i = top->x->rank - 1; i >= 0; i--)
    if (i != top->axis)
      {
        access->stride[i] = step;
        step *= top->x->dims[i];
      }
}

/* What is beyond all that there may be stands for what is taken. */
static void
lower_place (const Top *top, const Turn *turn)
{
  g_auto (TpLowering) lowering = top_new_nest (top, top_get_first (top));
  TpExtreme extreme = { top->is_largest ? TP_COMBINE_MAX : TP_COMBINE_MIN,
                        FALSE, top->n };
  TpNest *nest = lowering.nest;
  int k, value, taken, position, last;

  nest->store = (TpAccess){ .operand = turn->place,
                            .dtype = TPLAN_DTYPE_FLOAT32, .index = -1 };
  add_row_axes (&lowering, top, &nest->store);
  k = tp_lowering_add_reduce_axis (&lowering, top->n);
  value = tp_rank_load_rows (&lowering, top->axis, TRUE, k);
  taken = load_scratch (&lowering, top, turn->taken, k);
  position = tp_nest_select (nest, taken, tp_nest_const (nest, top->n),
                             tp_rank_load_position (&lowering, k));
  last = nest->exprs[value].is_integer
             ? tp_nest_const_integer (nest, top->is_largest ? G_MININT64
                                                            : G_MAXINT64)
             : tp_nest_const (nest, top->is_largest ? -INFINITY : INFINITY);
  value = tp_nest_select (nest, taken, last, value);
  tp_lowering_finish (
      &lowering, tp_rank_find_place (&lowering, &extreme, value, position));
}

static int
load_place (TpLowering *lowering, const Top *top, const Turn *turn)
{
  TpAccess *load = tp_nest_add_load (lowering->nest, turn->place);
  gint64 step = 1;

  for (int i = top->x->rank - 1; i >= 0; i--)
    if (i != top->axis)
      {
        load->stride[i] = step;
        step *= top->x->dims[i];
      }
  return tp_lowering_last_load (lowering);
}

/* Output @output of this turn. */
static void
lower_output (const Top *top, const Turn *turn, int output)
{
  g_auto (TpLowering) lowering = top_new_nest (top, output);
  TpNest *nest = lowering.nest;
  TpAccess dense = { 0 }, *load;
  int place;

  add_row_axes (&lowering, top, &dense);
  for (int i = 0; i < top->x->rank; i++)
    if (i != top->axis)
      nest->store.stride[i] = lowering.out->strides[i];
  nest->store.step = lowering.out->strides[top->axis];
  place = tp_nest_unary (nest, TP_EXPR_TO_INTEGER,
                         load_place (&lowering, top, turn));
  if (output == 0)
    {
      load = tp_lowering_add_load (&lowering, 0);
      memcpy (load->stride, top->x->strides,
              top->x->rank * sizeof load->stride[0]);
      load->stride[top->axis] = 0;
      tp_access_pick (load, top->x, top->axis, place);
      place = tp_lowering_last_load (&lowering);
    }
  tp_lowering_finish (&lowering, place);
}

static void
lower_taken (const Top *top, const Turn *turn)
{
  g_auto (TpLowering) lowering = top_new_nest (top, top_get_first (top));
  TpNest *nest = lowering.nest;
  int taken, is_next;

  store_scratch (&lowering, top, turn->taken);
  taken = load_scratch (&lowering, top, turn->taken, top->axis);
  is_next = tp_nest_binary (nest, TP_EXPR_EQUAL,
                            tp_rank_load_position (&lowering, top->axis),
                            load_place (&lowering, top, turn));
  tp_lowering_finish (&lowering,
                      tp_nest_select (nest, is_next, tp_nest_const (nest, 1.0),
                                      taken));
}

static void
lower_in_turn (const Top *top)
{
  TpLowered *lowered = top->lowered;
  Turn turn;

  turn.taken = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32,
                                       top->x->count);
  turn.place = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32,
                                       top->x->count / top->n);
  lower_nothing_taken (top, &turn);
  lowered->first_repeated = lowered->n_nests;
  lowered->n_iterations = top->k;
  lower_place (top, &turn);
  for (int i = 0; i < top->node->n_outputs; i++)
    if (top->node->outputs[i] >= 0)
      lower_output (top, &turn, i);
  lower_taken (top, &turn);
}

/* A turn looks at each element three times, and begins four kernels; ranks are found
 * by comparing all with all. */
static gboolean
is_faster_in_turn (const Top *top)
{
  return (double) top->k * (3.0 * top->n + TURN) < (double) top->n * top->n;
}

static gboolean
ranked_top_k_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  const TpTensor *x = &graph->tensors[node->inputs[0]];
  Top top = { .graph = graph, .node = node, .lowered = lowered, .x = x,
              .is_largest = tp_node_get_int (node, "largest", 1) != 0 };
  const TpTensor *out = &graph->tensors[node->outputs[top_get_first (&top)]];

  if (!tp_node_get_axis (node, -1, x->rank, &top.axis, error))
    return FALSE;
  if (x->count == 0 || out->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", out->name);
  top.n = x->dims[top.axis];
  top.k = out->dims[top.axis];
  if (is_faster_in_turn (&top))
    lower_in_turn (&top);
  else
    lower_by_ranks (&top);
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
