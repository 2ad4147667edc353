/* op-along.c: what walks along one dimension: CumSum, CumProd, ArgMax, ArgMin,
 * TopK. */
#include "config.h"

#include "ir/guard.h"
#include "ops/op-util.h"

#include <math.h>

/* Elements @i along the dimension: base + i * step; rows follow each other. */
typedef struct
{
  gint64 n, step;
  gint64 n_rows;
} Rows;

static Rows
rows_new (const TpRefTensor *x, int axis)
{
  return (Rows){ x->dims[axis], tp_dims_product (x->dims, axis + 1, x->rank),
                 x->dims[axis] == 0 ? 0 : x->count / x->dims[axis] };
}

/* Where row @row of a tensor with @n elements along the dimension begins. */
static gint64
rows_start (const Rows *rows, gint64 row, gint64 n)
{
  return row / rows->step * n * rows->step + row % rows->step;
}

/* ---- CumSum, CumProd ------------------------------------------------------ */

/* Looking at all elements before each takes n^2 steps. */
#define MAX_CUMULATED 16384

/* In what the two differ. */
typedef struct
{
  TpCombiner combiner;
  double neutral;
} Cumulation;

static const Cumulation *
get_cumulation (const TpNode *node)
{
  return node->op->data;
}

static double
cumulate (const Cumulation *kind, double a, double b)
{
  return kind->combiner == TP_COMBINE_PROD ? a * b : a + b;
}

static guint64
cumulate_integers (const Cumulation *kind, guint64 a, guint64 b)
{
  return kind->combiner == TP_COMBINE_PROD ? a * b : a + b;
}

static gboolean
cumulate_infer (const TpNode *node, const TpTensor *const *inputs,
                TpShape *outputs, GError **error)
{
  gint64 axis = 0;
  TpInts list = { &axis, 1, 0 };
  int resolved = 0;

  if (!tp_input_get_ints (node, inputs, 1, &list, error))
    return FALSE;
  if (list.n != 1)
    return tp_op_fail (node, error, "input 1 is empty, one axis is needed");
  return tp_axis_resolve (node, axis, inputs[0]->rank, &resolved, error)
         && tp_infer_same (node, inputs, outputs, error);
}

/* out[i] is of x[i - k], k from 0 (1 when exclusive), where that is inside; from
 * the end x[i + k]. */
static gboolean
cumulate_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  const TpTensor *inputs[] = { x, tp_lowering_get_input (&lowering, 1) };
  gint64 sign = tp_node_get_int (node, "reverse", 0) != 0 ? 1 : -1;
  gint64 first = tp_node_get_int (node, "exclusive", 0) != 0 ? sign : 0;
  gint64 value = 0;
  TpInts list = { &value, 1, 0 };
  int axis = 0;
  int k = -1;
  TpAccess *load = NULL;

  if (!tp_input_get_ints (node, inputs, 1, &list, error)
      || !tp_axis_resolve (node, value, x->rank, &axis, error))
    return FALSE;
  if (x->dims[axis] > MAX_CUMULATED)
    return tp_op_refuse (node, error,
                         "dimension %d has %" G_GINT64_FORMAT
                         " elements, at most %d have kernels",
                         axis, x->dims[axis], MAX_CUMULATED);
  tp_lowering_add_output_axes (&lowering);
  k = tp_lowering_add_reduce_axis (&lowering, x->dims[axis]);
  load = tp_lowering_add_load (&lowering, 0);
  for (int i = 0; i < x->rank; i++)
    load->stride[i] = x->strides[i];
  load->offset = first * x->strides[axis];
  load->n_guards = 1;
  load->guards[0].coef[axis] = 1;
  load->guards[0].offset = first;
  load->guards[0].extent = x->dims[axis];
  load->fill = get_cumulation (node)->neutral;
  if (k >= 0)
    {
      load->stride[k] = sign * x->strides[axis];
      load->guards[0].coef[k] = sign;
    }
  return tp_lowering_finish (
      &lowering,
      tp_lowering_reduce (&lowering, get_cumulation (node)->combiner,
                          tp_nest_load (lowering.nest, 0)));
}

/* What both references walk: along @rows, from the end where @is_reverse; an
 * element has no part in its own where @is_exclusive. */
typedef struct
{
  Rows rows;
  gboolean is_exclusive, is_reverse;
} Walk;

static Walk
walk_new (const TpNode *node, const TpRefTensor *x, gint64 dimension)
{
  int axis = 0;

  if (!tp_axis_resolve (node, dimension, x->rank, &axis, NULL))
    g_assert_not_reached ();
  return (Walk){ rows_new (x, axis),
                 tp_node_get_int (node, "exclusive", 0) != 0,
                 tp_node_get_int (node, "reverse", 0) != 0 };
}

/* Where element @i of row @row stands. */
static gint64
walk_find (const Walk *walk, gint64 row, gint64 i)
{
  const Rows *rows = &walk->rows;

  return rows_start (rows, row, rows->n)
         + (walk->is_reverse ? rows->n - 1 - i : i) * rows->step;
}

static void
cumulate_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  Walk walk = walk_new (node, inputs[0], inputs[1]->data[0]);

  for (gint64 row = 0; row < walk.rows.n_rows; row++)
    {
      double all = get_cumulation (node)->neutral;

      for (gint64 i = 0; i < walk.rows.n; i++)
        {
          gint64 at = walk_find (&walk, row, i);
          double next = cumulate (get_cumulation (node), all,
                                  inputs[0]->data[at]);

          outputs[0].data[at] = walk.is_exclusive ? all : next;
          all = next;
        }
    }
}

static void
cumulate_reference_integer (const TpNode *node,
                            const TpRefTensor *const *inputs,
                            TpRefTensor *outputs)
{
  Walk walk = walk_new (node, inputs[0], inputs[1]->integers[0]);

  for (gint64 row = 0; row < walk.rows.n_rows; row++)
    {
      guint64 all = (guint64) get_cumulation (node)->neutral;

      for (gint64 i = 0; i < walk.rows.n; i++)
        {
          gint64 at = walk_find (&walk, row, i);
          guint64 next
              = cumulate_integers (get_cumulation (node), all,
                                   (guint64) inputs[0]->integers[at]);

          outputs[0].integers[at]
              = tp_dtype_wrap (outputs[0].dtype,
                               (gint64) (walk.is_exclusive ? all : next));
          all = next;
        }
    }
}

static const TpAttrSpec cumulate_attrs[] = {
  { "exclusive", TP_ATTR_INT, FALSE },
  { "reverse", TP_ATTR_INT, FALSE },
  { 0 },
};

static const Cumulation sum = { TP_COMBINE_SUM, 0.0 };
static const Cumulation product = { TP_COMBINE_PROD, 1.0 };

#define CUMULATION                                                            \
  .kind = TP_OP_REDUCE, .n_inputs_min = 2, .n_inputs_max = 2,                 \
  .n_outputs_max = 1, .attrs = cumulate_attrs, .tolerance = 1e-5,             \
  .infer = cumulate_infer, .lower = cumulate_lower,                           \
  .reference = cumulate_reference,                                            \
  .reference_integer = cumulate_reference_integer

const TpOp tp_op_cum_prod = { .name = "CumProd", .data = &product, CUMULATION };
const TpOp tp_op_cum_sum = { .name = "CumSum", .data = &sum, CUMULATION };

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

/* Data: the sign that makes the wanted one the greatest. */
static void
arg_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  const double *sign = node->op->data;
  gboolean is_last = tp_node_get_int (node, "select_last_index", 0) != 0;
  int axis = 0;
  Rows rows;

  if (!tp_node_get_axis (node, 0, x->rank, &axis, NULL))
    g_assert_not_reached ();
  rows = rows_new (x, axis);
  for (gint64 row = 0; row < rows.n_rows; row++)
    {
      const double *values = x->data + rows_start (&rows, row, rows.n);
      gint64 best = 0;

      for (gint64 i = 1; i < rows.n; i++)
        {
          double gain = *sign * (values[i * rows.step] - values[best * rows.step]);

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

#define ARG                                                                    \
  .kind = TP_OP_REDUCE, .n_inputs_min = 1, .n_inputs_max = 1,                  \
  .n_outputs_max = 1, .attrs = arg_attrs, .infer = arg_infer,                  \
  .reference = arg_reference, .ranks = TP_RANKS_ASKED

const TpOp tp_op_arg_max = { .name = "ArgMax", ARG,
                             .data = &(const double){ 1.0 } };
const TpOp tp_op_arg_min = { .name = "ArgMin", ARG,
                             .data = &(const double){ -1.0 } };

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
  Rows rows;

  if (!tp_node_get_axis (node, -1, x->rank, &axis, NULL))
    g_assert_not_reached ();
  rows = rows_new (x, axis);
  k = outputs[0].dims[axis];
  ranked = tp_new (Ranked, rows.n + 1);
  for (gint64 row = 0; row < rows.n_rows; row++)
    {
      const double *values = x->data + rows_start (&rows, row, rows.n);
      gint64 start = rows_start (&rows, row, k);

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

const TpOp tp_op_top_k = {
  .name = "TopK",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 2,
  .n_outputs_max = 2,
  .attrs = top_k_attrs,
  .infer = top_k_infer,
  .reference = top_k_reference,
  .ranks = TP_RANKS_TAKEN,
};
