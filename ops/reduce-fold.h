/* reduce-fold.h: what reductions make of their elements, for the reference. */
#ifndef TP_OPS_REDUCE_FOLD_H
#define TP_OPS_REDUCE_FOLD_H

#include "ir/op.h"

/* Sums that do not wrap. */
typedef struct TpWideSum TpWideSum;

/* @add each element to @start, then @end; NULL: nothing to do. @n elements are
 * combined. */
typedef struct
{
  double start;
  double (*add) (const TpNode *node, double sum, double x);
  double (*end) (const TpNode *node, double sum, gint64 n);
  gint64 integer_start;
  gint64 (*add_integer) (gint64 sum, gint64 x); /* NULL: not of integers */
  gint64 (*end_integer) (gint64 sum, gint64 n); /* NULL: nothing to do */
  gint64 (*end_wide) (const TpWideSum *sum);    /* instead of both */
} TpFold;

extern const TpFold tp_fold_abs, tp_fold_log_sum, tp_fold_log_sum_exp,
    tp_fold_max, tp_fold_max_number, tp_fold_mean, tp_fold_min, tp_fold_norm,
    tp_fold_power, tp_fold_product, tp_fold_square, tp_fold_sum;

/* Walks @x once; every element finds its output. Integer types cut what comes
 * out. */
void tp_fold_run (const TpFold *fold, const TpNode *node, const TpRefTensor *x,
                  const gboolean *is_reduced, TpRefTensor *out);
/* The same exactly, of integers, where @fold adds these; wraps what comes out. */
void tp_fold_run_integers (const TpFold *fold, const TpRefTensor *x,
                           const gboolean *is_reduced, TpRefTensor *out);

#endif
