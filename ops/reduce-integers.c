/* reduce-integers.c: roots and logarithms of sums of integers, through doubles that hold
 * these. */
#include "config.h"

#include "ops/reduce-integers.h"

int
tp_reduce_root_of_integers (TpNest *nest, int sum)
{
  int root = tp_nest_unary (nest, TP_EXPR_SQRT, sum);

  return tp_nest_convert (nest, root, TPLAN_DTYPE_INT64);
}

int
tp_reduce_log_of_integers (TpNest *nest, int sum)
{
  int one = tp_nest_const (nest, 1.0);
  int log = tp_nest_unary (nest, TP_EXPR_LOG,
                           tp_nest_binary (nest, TP_EXPR_MAX, sum, one));
  int of_none
      = tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_EQUAL, sum,
                                              tp_nest_const (nest, 0.0)),
                        tp_nest_const_integer (nest, G_MININT64),
                        tp_nest_const_integer (nest, 0));

  return tp_nest_select (nest, tp_nest_binary (nest, TP_EXPR_LESS, sum, one), of_none,
                         tp_nest_convert (nest, log, TPLAN_DTYPE_INT64));
}

int
tp_reduce_log_sum_exp_of_integers (TpLowering *lowering, int x, int max)
{
  TpNest *nest = lowering->nest;
  int below = tp_nest_convert (nest, tp_nest_binary (nest, TP_EXPR_SUB, x, max),
                               TPLAN_DTYPE_FLOAT64);
  int sum = tp_lowering_reduce (lowering, TP_COMBINE_SUM,
                                tp_nest_unary (nest, TP_EXPR_EXP, below));
  int rest = tp_nest_unary (nest, TP_EXPR_LOG, sum);
  int whole = tp_nest_unary (nest, TP_EXPR_FLOOR, rest);
  int log = tp_nest_binary (nest, TP_EXPR_ADD, max,
                            tp_nest_convert (nest, whole, TPLAN_DTYPE_INT64));
  int more = tp_nest_binary (nest, TP_EXPR_ADD, log, tp_nest_const_integer (nest, 1));
  int is_cut = tp_nest_binary (nest, TP_EXPR_LESS, whole, rest);
  int is_below = tp_nest_binary (nest, TP_EXPR_LESS, log,
                                 tp_nest_const_integer (nest, 0));

  return tp_nest_select (nest, is_below, tp_nest_select (nest, is_cut, more, log), log);
}
