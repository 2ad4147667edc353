/* reduce-fold.c: what reductions make of their elements, for the reference. */
#include "config.h"

#include "ops/reduce-fold.h"

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

/* ---- the rows ------------------------------------------------------------ */

const TpFold tp_fold_abs = {
  .add = add_abs,
  .add_integer = add_abs_integer,
};
const TpFold tp_fold_log_sum = { .add = add_plain, .end = end_log };
const TpFold tp_fold_log_sum_exp = { .start = -INFINITY, .add = add_log_exp };
const TpFold tp_fold_max = {
  .start = -INFINITY,
  .add = add_max,
  .integer_start = G_MININT64,
  .add_integer = add_max_integer,
};
const TpFold tp_fold_max_number = { .start = -INFINITY, .add = add_max_number };
const TpFold tp_fold_mean = { .add = add_plain, .end = end_mean };
const TpFold tp_fold_min = {
  .start = INFINITY,
  .add = add_min,
  .integer_start = G_MAXINT64,
  .add_integer = add_min_integer,
};
const TpFold tp_fold_norm = { .add = add_square, .end = end_root };
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

void
tp_fold_run (const TpFold *fold, const TpNode *node, const TpRefTensor *x,
             const gboolean *is_reduced, TpRefTensor *out)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    out->data[i] = fold->start;
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

void
tp_fold_run_integers (const TpFold *fold, const TpRefTensor *x,
                      const gboolean *is_reduced, TpRefTensor *out)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->count; i++)
    out->integers[i] = fold->integer_start;
  for (gint64 i = 0; i < x->count; i++)
    {
      gint64 *sum = &out->integers[find_output (x, is_reduced, at)];

      *sum = fold->add_integer (*sum, x->integers[i]);
      tp_dims_next (x->rank, x->dims, at);
    }
  for (gint64 i = 0; i < out->count; i++)
    out->integers[i] = tp_dtype_wrap (out->dtype, out->integers[i]);
}
