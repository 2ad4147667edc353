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
