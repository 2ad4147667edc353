/* reduce-fold.c: what reductions make of their elements, for the reference. */
#include "config.h"

#include "ops/reduce-fold.h"

#include "ir/guard.h"
#include "ops/op-util.h"

#include <math.h>

static double
add_plain (const TpNode *node, double sum, double x)
{
  return sum + x;
}

static double
add_abs (const TpNode *node, double sum, double x)
{
  return sum + fabs (x);
}

static double
add_square (const TpNode *node, double sum, double x)
{
  return sum + x * x;
}

static double
add_power (const TpNode *node, double sum, double x)
{
  return sum + pow (fabs (x), tp_node_get_int (node, "p", 2));
}

/* log (exp (sum) + exp (x)) */
static double
add_log_exp (const TpNode *node, double sum, double x)
{
  double high = fmax (sum, x);

  if (isnan (sum + x))
    return isinf (sum) && isinf (x) ? INFINITY : sum + x;
  return isinf (high) ? high : high + log1p (exp (fmin (sum, x) - high));
}

static double
add_factor (const TpNode *node, double product, double x)
{
  return product * x;
}

static double
add_max (const TpNode *node, double max, double x)
{
  return isnan (max) || max > x ? max : x;
}

static double
add_min (const TpNode *node, double min, double x)
{
  return isnan (min) || min < x ? min : x;
}

/* As windows have it: NaN is none. */
static double
add_max_number (const TpNode *node, double max, double x)
{
  return x > max ? x : max;
}

static double
end_mean (const TpNode *node, double sum, gint64 n)
{
  return sum / n;
}

static double
end_root (const TpNode *node, double sum, gint64 n)
{
  return sqrt (sum);
}

static double
end_log (const TpNode *node, double sum, gint64 n)
{
  return log (sum);
}

static double
end_power (const TpNode *node, double sum, gint64 n)
{
  return pow (sum, 1.0 / tp_node_get_int (node, "p", 2));
}

/* ---- of integers, which wrap --------------------------------------------- */

static gint64
add_plain_integer (gint64 sum, gint64 x)
{
  return (gint64) ((guint64) sum + (guint64) x);
}

static gint64
add_abs_integer (gint64 sum, gint64 x)
{
  return (gint64) ((guint64) sum + (x < 0 ? 0 - (guint64) x : (guint64) x));
}

static gint64
add_square_integer (gint64 sum, gint64 x)
{
  return (gint64) ((guint64) sum + (guint64) x * (guint64) x);
}

static gint64
add_factor_integer (gint64 product, gint64 x)
{
  return (gint64) ((guint64) product * (guint64) x);
}

static gint64
add_max_integer (gint64 max, gint64 x)
{
  return MAX (max, x);
}

static gint64
add_min_integer (gint64 min, gint64 x)
{
  return MIN (min, x);
}

static gint64
end_mean_integer (gint64 sum, gint64 n)
{
  return sum / n;
}

/* ---- of integers, which do not wrap before the end ------------------------ */

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

struct TpWideSum
{
  gint64 max;
  Wide sum;
  UnsignedWide squares;       /* or the greatest there is */
  long double exps;           /* of each less the greatest */
};

static void
add_wide (TpWideSum *sum, gint64 x)
{
  Wide square = (Wide) x * x;

  sum->sum += x;
  if (__builtin_add_overflow (sum->squares, (UnsignedWide) square,
                              &sum->squares))
    sum->squares = ~(UnsignedWide) 0;
  sum->exps += expl (-(long double) ((guint64) sum->max - (guint64) x));
}

/* What is below it of whole numbers. */
static gint64
end_root_wide (const TpWideSum *sum)
{
  UnsignedWide root = (UnsignedWide) sqrtl ((long double) sum->squares);

  while (root > G_MAXUINT64 || root * root > sum->squares)
    root--;
  while (root < G_MAXUINT64 && (root + 1) * (root + 1) <= sum->squares)
    root++;
  return root > G_MAXINT64 ? G_MAXINT64 : (gint64) root;
}

/* Of nothing minus infinity, and of what is less NaN, as integers have these. */
static gint64
end_log_wide (const TpWideSum *sum)
{
  gint64 log;

  if (sum->sum <= 0)
    return sum->sum == 0 ? G_MININT64 : 0;
  log = (gint64) floorl (logl ((long double) sum->sum));
  return expl ((long double) log) > (long double) sum->sum ? log - 1 : log;
}

/* Towards 0. */
static gint64
end_log_exp_wide (const TpWideSum *sum)
{
  long double rest = logl (sum->exps);
  gint64 whole = (gint64) floorl (rest);
  gint64 log = (gint64) ((guint64) sum->max + (guint64) whole);

  return log < 0 && rest > (long double) whole ? log + 1 : log;
}

/* ---- the rows ------------------------------------------------------------ */

const TpFold tp_fold_abs = {
  .add = add_abs,
  .add_integer = add_abs_integer,
};
const TpFold tp_fold_log_sum = {
  .add = add_plain,
  .end = end_log,
  .end_wide = end_log_wide,
};
const TpFold tp_fold_log_sum_exp = {
  .start = -INFINITY,
  .add = add_log_exp,
  .end_wide = end_log_exp_wide,
};
const TpFold tp_fold_max = {
  .start = -INFINITY,
  .add = add_max,
  .integer_start = G_MININT64,
  .add_integer = add_max_integer,
};
const TpFold tp_fold_max_number = { .start = -INFINITY, .add = add_max_number };
const TpFold tp_fold_mean = {
  .add = add_plain,
  .end = end_mean,
  .add_integer = add_plain_integer,
  .end_integer = end_mean_integer,
};
const TpFold tp_fold_min = {
  .start = INFINITY,
  .add = add_min,
  .integer_start = G_MAXINT64,
  .add_integer = add_min_integer,
};
const TpFold tp_fold_norm = {
  .add = add_square,
  .end = end_root,
  .end_wide = end_root_wide,
};
const TpFold tp_fold_power = { .add = add_power, .end = end_power };
const TpFold tp_fold_product = {
  .start = 1.0,
  .add = add_factor,
  .integer_start = 1,
  .add_integer = add_factor_integer,
};
const TpFold tp_fold_square = {
  .add = add_square,
  .add_integer = add_square_integer,
};
const TpFold tp_fold_sum = {
  .add = add_plain,
  .add_integer = add_plain_integer,
};

/* ---- over whole dimensions ----------------------------------------------- */

/* The element of the output that @at of @x goes to. */
static gint64
find_output (const TpRefTensor *x, const gboolean *is_reduced,
             const gint64 *at)
{
  gint64 index = 0;

  for (int k = 0; k < x->rank; k++)
    if (!is_reduced[k])
      index = index * x->dims[k] + at[k];
  return index;
}

/* What is to be of nothing is an end of the type, where that has no infinity. */
static double
hold_start (const TpFold *fold, const TpRefTensor *x, TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  gint64 high = row->class == TP_CLASS_BOOL ? 1 : row->high;

  return x->count > 0 || row->class == TP_CLASS_REAL
             ? fold->start : CLAMP (fold->start, (double) row->low, (double) high);
}

static gint64
hold_integer_start (const TpFold *fold, const TpRefTensor *x, TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  gint64 high = row->class == TP_CLASS_BOOL ? 1 : row->high;

  return x->count > 0 ? fold->integer_start : CLAMP (fold->integer_start, row->low, high);
}

void
tp_fold_run (const TpFold *fold, const TpNode *node, const TpRefTensor *x,
             const gboolean *is_reduced, TpRefTensor *out)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    out->data[i] = hold_start (fold, x, out->dtype);
  for (gint64 i = 0; i < x->count; i++)
    {
      double *sum = &out->data[find_output (x, is_reduced, at)];

      *sum = fold->add (node, *sum, x->data[i]);
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; fold->end != NULL && i < out->count; i++)
    {
      out->data[i] = fold->end (node, out->data[i], x->count / out->count);
      if (tp_dtype_is_integer (out->dtype))
        out->data[i] = trunc (out->data[i]);
    }
}

static void
run_wide (const TpFold *fold, const TpRefTensor *x, const gboolean *is_reduced,
          TpRefTensor *out)
{
  g_autofree TpWideSum *sums = tp_new0 (TpWideSum, out->count + 1);
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    sums[i].max = G_MININT64;
  for (gint64 i = 0; i < x->count; i++)
    {
      TpWideSum *sum = &sums[find_output (x, is_reduced, at)];

      sum->max = MAX (sum->max, x->integers[i]);
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; i < x->count; i++)
    {
      add_wide (&sums[find_output (x, is_reduced, at)], x->integers[i]);
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; i < out->count; i++)
    out->integers[i]
        = tp_dtype_wrap (out->dtype, fold->end_wide (&sums[i]));
}

static void
run_wrapping (const TpFold *fold, const TpRefTensor *x,
              const gboolean *is_reduced, TpRefTensor *out)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    out->integers[i] = hold_integer_start (fold, x, out->dtype);
  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 *sum = &out->integers[find_output (x, is_reduced, at)];

      *sum = fold->add_integer (*sum, x->integers[i]);
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; i < out->count; i++)
    {
      if (fold->end_integer != NULL)
        out->integers[i] = fold->end_integer (out->integers[i],
                                              x->count / out->count);
      out->integers[i] = tp_dtype_wrap (out->dtype, out->integers[i]);
    }
}

void
tp_fold_run_integers (const TpFold *fold, const TpRefTensor *x,
                      const gboolean *is_reduced, TpRefTensor *out)
{
  if (fold->end_wide != NULL)
    run_wide (fold, x, is_reduced, out);
  else
    run_wrapping (fold, x, is_reduced, out);
}
