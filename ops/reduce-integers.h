/* reduce-integers.h: what reductions make of integers that have no whole root or
 * logarithm: the whole number below it. */
#ifndef TP_OPS_REDUCE_INTEGERS_H
#define TP_OPS_REDUCE_INTEGERS_H

#include "ops/op-util.h"

#define TP_REDUCE_EXACT 0x1p47 /* sums of which double is sure, root or logarithm */

/* Expressions, of integers: of a sum in double. */
int tp_reduce_root_of_integers (TpNest *nest, int sum);
/* Of nothing minus infinity and of what is less NaN, as integers have these. */
int tp_reduce_log_of_integers (TpNest *nest, int sum);
/* Of all @x, their greatest known to be @max: in integers, towards 0. */
int tp_reduce_log_sum_exp_of_integers (TpLowering *lowering, int x, int max);

#endif
