#include "config.h"

#include "nests.h"
#include "row-nests.h"

/* The strides of batch, row and column. */
static void
set_matrix (TpAccess *access, const RowCase *c, gboolean is_turned)
{
  access->stride[0] = c->rows * c->cols;
  access->stride[1] = is_turned ? 1 : c->cols;
  access->stride[2] = is_turned ? c->rows : 1;
}

static void
add_reduction (TpNest *nest, const RowCase *c, int x)
{
  static const TpCombiner combiners[] = { [ROW_SUM] = TP_COMBINE_SUM,
                                          [ROW_MAX] = TP_COMBINE_MAX,
                                          [ROW_PROD] = TP_COMBINE_PROD };
  int stage = tp_nest_add_stage (nest, combiners[c->kind], x);

  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_stage (nest, stage),
                                 tp_nest_const (nest, 0.5));
  nest->store.stride[0] = c->rows;
  nest->store.stride[1] = 1;
}

/* As the ops do: by the reciprocal, had once for a row. */
static int
divide (TpNest *nest, int x, int y)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x,
                         tp_nest_binary (nest, TP_EXPR_DIV,
                                         tp_nest_const (nest, 1.0), y));
}

static void
add_softmax (TpNest *nest, const RowCase *c, int x)
{
  int most = tp_nest_add_stage (nest, TP_COMBINE_MAX, x), sum;

  x = tp_nest_binary (nest, TP_EXPR_SUB, x, tp_nest_stage (nest, most));
  x = tp_nest_unary (nest, TP_EXPR_EXP, x);
  sum = tp_nest_add_stage (nest, TP_COMBINE_SUM, x);
  nest->result = divide (nest, x, tp_nest_stage (nest, sum));
  set_matrix (&nest->store, c, c->is_turned);
}

/* x minus its mean, over the root of the mean of its square. */
static void
add_norm (TpLowered *lowered, TpNest *nest, const RowCase *c, int x)
{
  int share = tp_nest_const (nest, 1.0 / (double) c->cols), value;
  TpAccess *scale
      = tp_nest_add_load (nest, add_operand (lowered, c->cols, TRUE));

  scale->stride[2] = 1;
  value = tp_nest_add_stage (nest, TP_COMBINE_SUM, x);
  value = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_stage (nest, value),
                          share);
  x = tp_nest_binary (nest, TP_EXPR_SUB, x, value);
  value = tp_nest_add_stage (nest, TP_COMBINE_SUM,
                             tp_nest_binary (nest, TP_EXPR_MUL, x, x));
  value = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_stage (nest, value),
                          share);
  value = tp_nest_binary (nest, TP_EXPR_ADD, value,
                          tp_nest_const (nest, 1e-5));
  value = divide (nest, x, tp_nest_unary (nest, TP_EXPR_SQRT, value));
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, value,
                                 tp_nest_load (nest, 1));
  set_matrix (&nest->store, c, c->is_turned);
}

TpLowered *
new_rows (gconstpointer data)
{
  RowCase c = *(const RowCase *) data;
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  gint64 n = MAX (c.batch, 1) * c.rows * c.cols;
  int x, load = add_operand (lowered, n, FALSE);

  tp_nest_add_axis (nest, MAX (c.batch, 1), FALSE);
  tp_nest_add_axis (nest, c.rows, FALSE);
  tp_nest_add_axis (nest, c.cols, c.kind != ROW_TRANSPOSE);
  set_matrix (tp_nest_add_load (nest, load), &c, c.is_turned);
  x = tp_nest_load (nest, 0);
  nest->store.operand = add_operand (
      lowered, c.kind < ROW_SOFTMAX ? MAX (c.batch, 1) * c.rows : n, FALSE);
  if (c.kind < ROW_SOFTMAX)
    add_reduction (nest, &c, x);
  else if (c.kind == ROW_SOFTMAX)
    add_softmax (nest, &c, x);
  else if (c.kind == ROW_NORM)
    add_norm (lowered, nest, &c, x);
  else
    {
      nest->result = x;
      set_matrix (&nest->store, &c, !c.is_turned);
    }
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

/* ---- attention ---------------------------------------------------------- */

/* The strides of head, row and the third axis, @at, of what has @rows x @n a head. */
static void
set_heads (TpAccess *access, const AttentionCase *c, gint64 rows, gint64 n,
           int at)
{
  access->stride[0] = c->is_interleaved ? n : rows * n;
  access->stride[1] = c->is_interleaved ? c->heads * n : n;
  access->stride[at] = 1;
}

static void
add_axes (TpNest *nest, const AttentionCase *c, gint64 n, gint64 n_sum)
{
  tp_nest_add_axis (nest, c->heads, FALSE);
  tp_nest_add_axis (nest, c->rows, FALSE);
  tp_nest_add_axis (nest, n, FALSE);
  tp_nest_add_axis (nest, n_sum, TRUE);
}

static int
add_product (TpNest *nest)
{
  int product = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                                tp_nest_load (nest, 1));

  return tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, product));
}

static void
set_scores (TpAccess *access, const AttentionCase *c, int column)
{
  access->stride[0] = c->rows * c->cols;
  access->stride[1] = c->cols;
  access->stride[column] = 1;
}

static void
take_scores (TpLowered *lowered, const AttentionCase *c, int scores)
{
  TpNest *nest = tp_nest_new ();
  gint64 keys = c->is_shared ? 1 : c->heads;
  TpAccess *k = NULL;
  int q = add_operand (lowered, c->heads * c->rows * c->depth, FALSE);

  add_axes (nest, c, c->cols, c->depth);
  set_heads (tp_nest_add_load (nest, q), c, c->rows, c->depth, 3);
  k = tp_nest_add_load (
      nest, add_operand (lowered, keys * c->cols * c->depth, FALSE));
  k->stride[0] = c->is_shared ? 0 : c->cols * c->depth;
  k->stride[2] = c->is_turned ? c->depth : 1;
  k->stride[3] = c->is_turned ? 1 : c->cols;
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, add_product (nest),
                                 tp_nest_const (nest, 0.125));
  if (c->has_mask)
    {
      gint64 step = c->is_stepped ? c->rows - 1 : 0;
      TpAccess *mask
          = tp_nest_add_load (nest, add_operand (lowered, c->cols + step, FALSE));

      mask->offset = step;
      mask->stride[1] = c->is_stepped ? -1 : 0;
      mask->stride[2] = 1;
      nest->result = tp_nest_binary (nest, TP_EXPR_ADD, nest->result,
                                     tp_nest_load (nest, 2));
    }
  nest->store.operand = scores;
  set_scores (&nest->store, c, 2);
  tp_lowered_take_nest (lowered, nest);
}

static void
take_weights (TpLowered *lowered, const AttentionCase *c, int scores,
              int weights)
{
  const RowCase rows = { c->kind, c->rows, c->cols, FALSE, c->heads };
  TpNest *nest = tp_nest_new ();

  tp_nest_add_axis (nest, c->heads, FALSE);
  tp_nest_add_axis (nest, c->rows, FALSE);
  tp_nest_add_axis (nest, c->cols, TRUE);
  set_scores (tp_nest_add_load (nest, scores), c, 2);
  if (c->kind == ROW_SOFTMAX)
    add_softmax (nest, &rows, tp_nest_load (nest, 0));
  else
    add_norm (lowered, nest, &rows, tp_nest_load (nest, 0));
  nest->store.operand = weights;
  tp_lowered_take_nest (lowered, nest);
}

static void
take_result (TpLowered *lowered, const AttentionCase *c, int weights)
{
  TpNest *nest = tp_nest_new ();
  gint64 values = c->is_shared ? 1 : c->heads;
  TpAccess *v = NULL;

  add_axes (nest, c, c->width, c->cols);
  set_scores (tp_nest_add_load (nest, weights), c, 3);
  v = tp_nest_add_load (
      nest, add_operand (lowered, values * c->cols * c->width, FALSE));
  v->stride[0] = c->is_shared ? 0 : c->cols * c->width;
  v->stride[2] = 1;
  v->stride[3] = c->width;
  nest->result = add_product (nest);
  nest->store.operand
      = add_operand (lowered, c->heads * c->rows * c->width, FALSE);
  set_heads (&nest->store, c, c->rows, c->width, 2);
  tp_lowered_take_nest (lowered, nest);
}

TpLowered *
new_attention (gconstpointer data)
{
  const AttentionCase *c = data;
  gint64 n = c->heads * c->rows * c->cols;
  TpLowered *lowered = tp_lowered_new ();
  int scores = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32, n);
  int weights = tp_lowered_add_scratch (lowered, TPLAN_DTYPE_FLOAT32, n);

  take_scores (lowered, c, scores);
  take_weights (lowered, c, scores, weights);
  take_result (lowered, c, weights);
  return lowered;
}
