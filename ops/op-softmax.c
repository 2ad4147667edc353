/* op-softmax.c: Softmax, LogSoftmax, Hardmax; and LpNormalization, which divides
 * by a norm instead. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>
#include <string.h>

/* Before opset 13 all dimensions from axis on are one; from 13 on only axis
 * counts. */
static gboolean
softmax_get_axes (const TpNode *node, int rank, int *out_first, int *out_end,
                  GError **error)
{
  gboolean is_flat = node->opset < 13;

  if (!tp_node_get_axis (node, is_flat ? 1 : -1, rank, out_first, error))
    return FALSE;
  *out_end = is_flat ? rank : *out_first + 1;
  return TRUE;
}

static gboolean
softmax_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  int first = 0;
  int end = 0;

  return softmax_get_axes (node, inputs[0]->rank, &first, &end, error)
         && tp_infer_same (node, inputs, outputs, error);
}

/* The reduce axes come last; those of extent 1 are left out, but one stays. */
static void
softmax_add_axes (TpLowering *lowering, int first, int end)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  const TpTensor *out = lowering->out;
  TpNest *nest = lowering->nest;
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  gboolean has_reduce = FALSE;

  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < x->rank; i++)
      {
        gboolean is_reduce = i >= first && i < end;
        int axis = -1;

        if (is_reduce != pass
            || (is_reduce && x->dims[i] == 1 && (has_reduce || i + 1 < end)))
          continue;
        axis = tp_nest_add_axis (nest, x->dims[i], is_reduce);
        load->stride[axis] = x->strides[i];
        nest->store.stride[axis] = out->strides[i];
        has_reduce = has_reduce || is_reduce;
      }
}

/* exp (x - max) / sum (exp (x - max)), or its logarithm x - max - log (sum (exp
 * (x - max))). The sum is at least 1, so its inverse is as good as itself, and is
 * taken once. */
static int
softmax_expr (TpNest *nest, gboolean is_log)
{
  int x = tp_nest_load (nest, 0);
  int max = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_MAX, x));
  int below = tp_nest_binary (nest, TP_EXPR_SUB, x, max);
  int power = tp_nest_unary (nest, TP_EXPR_EXP, below);
  int sum = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, power));

  if (is_log)
    return tp_nest_binary (nest, TP_EXPR_SUB, below,
                           tp_nest_unary (nest, TP_EXPR_LOG, sum));
  return tp_nest_binary (
      nest, TP_EXPR_MUL, power,
      tp_nest_binary (nest, TP_EXPR_DIV, tp_nest_const (nest, 1.0), sum));
}

/* Data: whether the logarithm is wanted. */
static gboolean
softmax_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const gboolean *is_log = node->op->data;
  int first = 0;
  int end = 0;

  if (!softmax_get_axes (node, lowering.out->rank, &first, &end, error))
    return FALSE;
  softmax_add_axes (&lowering, first, end);
  return tp_lowering_finish (&lowering, softmax_expr (lowering.nest, *is_log));
}

/* ---- Hardmax ------------------------------------------------------------ */

/* Whether the dimensions of @x from @first up to @end are one, stepped by the last. */
static gboolean
is_one_axis (const TpTensor *x, int first, int end)
{
  for (int i = end - 2; i >= first; i--)
    if (x->strides[i] != x->strides[i + 1] * x->dims[i + 1])
      return FALSE;
  return TRUE;
}

/* The axes of @lowering that tell rows of @x apart, stored dense. */
static void
add_rows (TpLowering *lowering, const TpTensor *x, int first, int end)
{
  gint64 step = x->count / tp_dims_product (x->dims, first, end);

  for (int i = 0; i < x->rank; i++)
    if (i < first || i >= end)
      {
        step /= x->dims[i];
        tp_lowering_add_axis (lowering, x->dims[i], step);
      }
}

/* @access walks rows by @strides, which are of all dimensions. */
static void
walk_rows (TpAccess *access, int rank, const gint64 *strides, int first, int end)
{
  int axis = 0;

  for (int i = 0; i < rank; i++)
    if (i < first || i >= end)
      access->stride[axis++] = strides[i];
}

/* Into scratch: where in each row the first of the greatest stands. */
static int
hardmax_find (TpLowering *lowering, int first, int end)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  gint64 n = tp_dims_product (x->dims, first, end);
  int places = tp_lowered_add_scratch (lowering->lowered, TPLAN_DTYPE_INT64,
                                       x->count / n);
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  gint64 strides[TP_MAX_RANK];
  int k;

  memcpy (strides, x->strides, x->rank * sizeof strides[0]);
  if (!is_one_axis (x, first, end))
    load->operand = tp_lowering_copy_dense (lowering, 0, strides);
  lowering->nest->store = (TpAccess){ .operand = places,
                                      .dtype = TPLAN_DTYPE_INT64, .index = -1 };
  add_rows (lowering, x, first, end);
  walk_rows (load, x->rank, strides, first, end);
  k = tp_lowering_add_reduce_axis (lowering, n);
  if (k >= 0)
    load->stride[k] = strides[end - 1];
  tp_lowering_finish (lowering,
                      k < 0 ? tp_nest_const_integer (lowering->nest, 0)
                            : tp_lowering_reduce (lowering, TP_COMBINE_PLACE,
                                                  tp_lowering_last_load (lowering)));
  return places;
}

/* The store goes where @place, counted along the dimensions from @first up to @end of
 * the output, is. */
static void
store_at_place (TpLowering *lowering, int first, int end, int place)
{
  const TpTensor *out = lowering->out;
  TpNest *nest = lowering->nest;
  gint64 inner = 1, extent = 1;
  int at = tp_nest_const_integer (nest, 0);

  for (int i = end - 1; i >= first; inner *= out->dims[i--])
    {
      int digit = tp_nest_binary (nest, TP_EXPR_DIV, place,
                                  tp_nest_const_integer (nest, inner));

      digit = tp_nest_binary (nest, TP_EXPR_MOD, digit,
                              tp_nest_const_integer (nest, out->dims[i]));
      digit = tp_nest_binary (nest, TP_EXPR_MUL, digit,
                              tp_nest_const_integer (nest, out->strides[i]));
      at = tp_nest_binary (nest, TP_EXPR_ADD, at, digit);
      extent += (out->dims[i] - 1) * out->strides[i];
    }
  nest->store.index = at;
  nest->store.index_stride = 1;
  nest->store.index_extent = extent;
}

/* Expression: @value of the class of the output. */
static int
hardmax_const (const TpLowering *lowering, gint64 value)
{
  return tp_nest_convert (lowering->nest,
                          tp_nest_const_integer (lowering->nest, value),
                          lowering->out->dtype);
}

/* Zeros; where the greatest stand; ones there. */
static gboolean
hardmax_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) zeros = tp_lowering_new (graph, node, lowered);
  g_auto (TpLowering) find = tp_lowering_new (graph, node, lowered);
  g_auto (TpLowering) ones = tp_lowering_new (graph, node, lowered);
  const TpTensor *out = ones.out;
  TpAccess *store = &ones.nest->store, *load = NULL;
  int first = 0, end = 0;

  if (!softmax_get_axes (node, out->rank, &first, &end, error))
    return FALSE;
  if (out->count == 0)
    return tp_op_refuse (node, error, "tensor '%s' is empty", out->name);
  tp_lowering_add_output_axes (&zeros);
  tp_lowering_finish (&zeros, hardmax_const (&zeros, 0));
  load = tp_nest_add_load (ones.nest, hardmax_find (&find, first, end));
  load->dtype = TPLAN_DTYPE_INT64;
  add_rows (&ones, out, first, end);
  memcpy (load->stride, store->stride, sizeof load->stride);
  walk_rows (store, out->rank, out->strides, first, end);
  store_at_place (&ones, first, end, tp_lowering_last_load (&ones));
  return tp_lowering_finish (&ones, hardmax_const (&ones, 1));
}

/* ---- references --------------------------------------------------------- */

/* Of @n values @step apart. */
typedef void (*RowFunc) (const double *x, double *out, gint64 n, gint64 step);

static double
row_max (const double *x, gint64 n, gint64 step)
{
  double max = -INFINITY;

  for (gint64 i = 0; i < n; i++)
    max = fmax (max, x[i * step]);
  return max;
}

static double
row_sum (const double *x, gint64 n, gint64 step, double max)
{
  double sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    sum += exp (x[i * step] - max);
  return sum;
}

static void
softmax_row (const double *x, double *out, gint64 n, gint64 step)
{
  double max = row_max (x, n, step);
  double sum = row_sum (x, n, step, max);

  for (gint64 i = 0; i < n; i++)
    out[i * step] = exp (x[i * step] - max) / sum;
}

static void
log_softmax_row (const double *x, double *out, gint64 n, gint64 step)
{
  double max = row_max (x, n, step);
  double log_sum = log (row_sum (x, n, step, max));

  for (gint64 i = 0; i < n; i++)
    out[i * step] = x[i * step] - max - log_sum;
}

/* 1 at the first of the greatest, else 0. */
static void
hardmax_row (const double *x, double *out, gint64 n, gint64 step)
{
  gint64 best = 0;

  for (gint64 i = 0; i < n; i++)
    {
      out[i * step] = 0.0;
      if (x[i * step] > x[best * step])
        best = i;
    }
  out[best * step] = 1.0;
}

/* Rows are the dimensions from @first up to @end. */
static void
each_row (const TpRefTensor *x, int first, int end, TpRefTensor *out,
          RowFunc row)
{
  gint64 n = tp_dims_product (x->dims, first, end);
  gint64 step = tp_dims_product (x->dims, end, x->rank);

  for (gint64 i = 0; i < x->count / n; i++)
    {
      gint64 start = i / step * n * step + i % step;

      row (x->data + start, out->data + start, n, step);
    }
}

static void
each_softmax_row (const TpNode *node, const TpRefTensor *x, TpRefTensor *out,
                  RowFunc row)
{
  int first = 0;
  int end = 0;

  if (!softmax_get_axes (node, x->rank, &first, &end, NULL))
    g_assert_not_reached ();
  each_row (x, first, end, out, row);
}

static void
softmax_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  each_softmax_row (node, inputs[0], &outputs[0], softmax_row);
}

static void
log_softmax_reference (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs)
{
  each_softmax_row (node, inputs[0], &outputs[0], log_softmax_row);
}

static void
hardmax_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  each_softmax_row (node, inputs[0], &outputs[0], hardmax_row);
}

/* ---- records ----------------------------------------------------------- */

#define SOFTMAX                                                                \
  .kind = TP_OP_REDUCE, .n_inputs_min = 1, .n_inputs_max = 1,                  \
  .n_outputs_max = 1, .attrs = tp_attrs_axis, .infer = softmax_infer

const TpOp tp_op_softmax = {
  .name = "Softmax",
  SOFTMAX,
  .tolerance = 1e-5,
  .data = &(const gboolean){ FALSE },
  .lower = softmax_lower,
  .reference = softmax_reference,
};

const TpOp tp_op_log_softmax = {
  .name = "LogSoftmax",
  SOFTMAX,
  .tolerance = 1e-5,
  .data = &(const gboolean){ TRUE },
  .lower = softmax_lower,
  .reference = log_softmax_reference,
};

const TpOp tp_op_hardmax = {
  .name = "Hardmax",
  SOFTMAX,
  .tolerance = 0.0,
  .lower = hardmax_lower,
  .reference = hardmax_reference,
  .ranks = TP_RANKS_ASKED,
};

/* ---- LpNormalization ---------------------------------------------------- */

static gboolean
lp_norm_infer (const TpNode *node, const TpTensor *const *inputs,
               TpShape *outputs, GError **error)
{
  gint64 p = tp_node_get_int (node, "p", 2);
  int axis = 0;

  if (p != 1 && p != 2)
    return tp_op_fail (node, error,
                       "p is %" G_GINT64_FORMAT ", 1 or 2 are possible", p);
  return tp_node_get_axis (node, -1, inputs[0]->rank, &axis, error)
         && tp_infer_same (node, inputs, outputs, error);
}

static gboolean
lp_norm_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
               GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  gboolean is_square = tp_node_get_int (node, "p", 2) == 2;
  TpNest *nest = lowering.nest;
  int axis = 0;
  int value = -1;
  int norm = -1;

  if (!tp_node_get_axis (node, -1, lowering.out->rank, &axis, error))
    return FALSE;
  softmax_add_axes (&lowering, axis, axis + 1);
  value = tp_nest_load (nest, 0);
  norm = is_square ? tp_nest_binary (nest, TP_EXPR_MUL, value, value)
                   : tp_nest_unary (nest, TP_EXPR_ABS, value);
  norm = tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, norm));
  if (is_square)
    norm = tp_nest_unary (nest, TP_EXPR_SQRT, norm);
  value = tp_nest_binary (nest, TP_EXPR_DIV, value, norm);
  return tp_lowering_finish (
      &lowering, tp_nest_select (nest, norm, value, tp_nest_const (nest, 0.0)));
}

/* What has no length stays 0. */
static double
divide (double x, double norm)
{
  return norm == 0.0 ? 0.0 : x / norm;
}

static void
l1_row (const double *x, double *out, gint64 n, gint64 step)
{
  double sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    sum += fabs (x[i * step]);
  for (gint64 i = 0; i < n; i++)
    out[i * step] = divide (x[i * step], sum);
}

static void
l2_row (const double *x, double *out, gint64 n, gint64 step)
{
  double norm = 0.0;

  for (gint64 i = 0; i < n; i++)
    norm = hypot (norm, x[i * step]);
  for (gint64 i = 0; i < n; i++)
    out[i * step] = divide (x[i * step], norm);
}

static void
lp_norm_reference (const TpNode *node, const TpRefTensor *const *inputs,
                   TpRefTensor *outputs)
{
  int axis = 0;

  if (!tp_node_get_axis (node, -1, inputs[0]->rank, &axis, NULL))
    g_assert_not_reached ();
  each_row (inputs[0], axis, axis + 1, &outputs[0],
            tp_node_get_int (node, "p", 2) == 1 ? l1_row : l2_row);
}

static const TpAttrSpec lp_norm_attrs[] = {
  { "axis", TP_ATTR_INT, FALSE },
  { "p", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_lp_normalization = {
  .name = "LpNormalization",
  .kind = TP_OP_REDUCE,
  .n_inputs_min = 1,
  .n_inputs_max = 1,
  .n_outputs_max = 1,
  .attrs = lp_norm_attrs,
  .tolerance = 1e-5,
  .infer = lp_norm_infer,
  .lower = lp_norm_lower,
  .reference = lp_norm_reference,
};
