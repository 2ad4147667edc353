/* op-reduce.c: reductions over whole dimensions, global pools among them. What
 * they combine is a table; which dimensions, a rule they share. */
#include "config.h"

#include "ops/op-util.h"
#include "ops/reduce-fold.h"
#include "ops/reduce-integers.h"

/* ---- which dimensions -------------------------------------------------- */

typedef struct
{
  int rank;
  gboolean is_reduced[TP_MAX_RANK];
  gboolean keeps_dims;
  gint64 n; /* elements combined into one */
} Reduce;

/* Of a reduction whose rank is set. */
static gboolean
reduce_set_axes (Reduce *reduce, const TpNode *node, const gint64 *axes,
                 int n_axes, GError **error)
{
  gboolean is_all =
      n_axes == 0 && tp_node_get_int (node, "noop_with_empty_axes", 0) == 0;

  reduce->keeps_dims = tp_node_get_int (node, "keepdims", 1) != 0;
  for (int i = 0; i < reduce->rank; i++)
    reduce->is_reduced[i] = is_all;
  for (int i = 0; i < n_axes; i++)
    {
      int axis = 0;

      if (!tp_axis_resolve (node, axes[i], reduce->rank, &axis, error))
        return FALSE;
      if (reduce->is_reduced[axis])
        return tp_op_fail (node, error, "axis %d is named twice", axis);
      reduce->is_reduced[axis] = TRUE;
    }
  return TRUE;
}

/* Axes are an attribute, or input 1 (ReduceSum from opset 13, the others from
 * 18). */
static gboolean
reduce_init (Reduce *reduce, const TpNode *node, const TpTensor *const *inputs,
             GError **error)
{
  gint64 values[TP_MAX_RANK];
  TpInts list = { values, TP_MAX_RANK, 0 };
  const gint64 *axes = tp_node_get_ints (node, "axes", &list.n);

  *reduce = (Reduce){ .rank = inputs[0]->rank, .n = 1 };
  if (tp_node_has_input (node, 1))
    {
      if (axes != NULL)
        return tp_op_fail (node, error,
                           "axes are given as attribute and as input 1");
      if (!tp_input_get_ints (node, inputs, 1, &list, error))
        return FALSE;
      axes = values;
    }
  if (!reduce_set_axes (reduce, node, axes, list.n, error))
    return FALSE;
  for (int i = 0; i < reduce->rank; i++)
    if (reduce->is_reduced[i])
      reduce->n *= inputs[0]->dims[i];
  return TRUE;
}

static gboolean
reduce_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  const TpTensor *x = inputs[0];
  TpShape *out = &outputs[0];
  Reduce reduce;

  if (!reduce_init (&reduce, node, inputs, error))
    return FALSE;
  out->dtype = x->dtype;
  out->rank = 0;
  for (int i = 0; i < x->rank; i++)
    if (!reduce.is_reduced[i])
      out->dims[out->rank++] = x->dims[i];
    else if (reduce.keeps_dims)
      out->dims[out->rank++] = 1;
  return TRUE;
}

static gboolean
global_infer (const TpNode *node, const TpTensor *const *inputs,
              TpShape *outputs, GError **error)
{
  if (inputs[0]->rank < 3)
    return tp_op_fail (node, error, "input 0 has rank %d, at least 3 is needed",
                       inputs[0]->rank);
  if (tp_node_get_int (node, "p", 2) < 1)
    return tp_op_fail (node, error, "p is less than 1");
  tp_shape_copy (&outputs[0], inputs[0]);
  for (int i = 2; i < inputs[0]->rank; i++)
    outputs[0].dims[i] = 1;
  return TRUE;
}

/* ---- what is combined -------------------------------------------------- */

/* What the record of a reduction has as data. As a nest: @combiner over @before
 * of each element, then @after; NULL: nothing to do; @n elements are combined.
 * For the reference: @fold. */
typedef struct
{
  TpCombiner combiner;
  int (*before) (const TpNode *node, TpNest *nest, int x);
  int (*after) (const TpNode *node, TpNest *nest, int x, gint64 n);
  const TpFold *fold;
  /* What becomes of the sum, in double, of integers; NULL: they are as @after has them. */
  int (*end_integers) (TpNest *nest, int sum);
} ReduceKind;

static int
abs_before (const TpNode *node, TpNest *nest, int x)
{
  return tp_nest_unary (nest, TP_EXPR_ABS, x);
}

static int
square_before (const TpNode *node, TpNest *nest, int x)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, x, x);
}

static int
mean_after (const TpNode *node, TpNest *nest, int x, gint64 n)
{
  if (nest->exprs[x].is_integer)
    return tp_nest_binary (nest, TP_EXPR_DIV, x, tp_nest_const_integer (nest, n));
  return tp_nest_binary (nest, TP_EXPR_MUL, x, tp_nest_const (nest, 1.0 / n));
}

static int
root_after (const TpNode *node, TpNest *nest, int x, gint64 n)
{
  return tp_nest_unary (nest, TP_EXPR_SQRT, x);
}

static int
log_after (const TpNode *node, TpNest *nest, int x, gint64 n)
{
  return tp_nest_unary (nest, TP_EXPR_LOG, x);
}

static int
power_before (const TpNode *node, TpNest *nest, int x)
{
  gint64 p = tp_node_get_int (node, "p", 2);

  if (p == 2)
    return square_before (node, nest, x);
  x = abs_before (node, nest, x);
  return p == 1 ? x
                : tp_nest_binary (nest, TP_EXPR_POW, x, tp_nest_const (nest, p));
}

static int
power_after (const TpNode *node, TpNest *nest, int x, gint64 n)
{
  gint64 p = tp_node_get_int (node, "p", 2);

  if (p == 2)
    return root_after (node, nest, x, n);
  return p == 1 ? x
                : tp_nest_binary (nest, TP_EXPR_POW, x,
                                  tp_nest_const (nest, 1.0 / p));
}

/* ---- nest -------------------------------------------------------------- */

static gboolean
reduce_add_axes (TpLowering *lowering, const Reduce *reduce, GError **error)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = tp_lowering_add_load (lowering, 0);
  int n_axes = lowering->out->rank;
  int axis = 0;

  for (int i = 0; i < x->rank; i++)
    n_axes += reduce->is_reduced[i] && x->dims[i] > 1;
  if (n_axes > TP_NEST_MAX_AXES)
    return tp_op_refuse (lowering->node, error,
                         "%d loops are needed, at most %d are possible: "
                         "reshape to fewer dimensions",
                         n_axes, TP_NEST_MAX_AXES);
  tp_lowering_add_output_axes (lowering);
  for (int i = 0; i < x->rank; i++)
    if (!reduce->is_reduced[i])
      load->stride[axis++] = x->strides[i];
    else if (reduce->keeps_dims)
      axis++;
  for (int i = 0; i < x->rank; i++)
    {
      int k = reduce->is_reduced[i]
                  ? tp_lowering_add_reduce_axis (lowering, x->dims[i])
                  : -1;

      if (k >= 0)
        load->stride[k] = x->strides[i];
    }
  return TRUE;
}

static int
reduce_expr (TpLowering *lowering, const Reduce *reduce)
{
  const TpNode *node = lowering->node;
  const ReduceKind *kind = node->op->data;
  int result = tp_nest_load (lowering->nest, 0);
  gboolean is_wide = lowering->nest->exprs[result].is_integer
                     && kind->end_integers != NULL;

  if (is_wide)
    result = tp_nest_convert (lowering->nest, result, TPLAN_DTYPE_FLOAT64);
  if (kind->before != NULL)
    result = kind->before (node, lowering->nest, result);
  result = tp_lowering_reduce (lowering, kind->combiner, result);
  if (is_wide)
    result = kind->end_integers (lowering->nest, result);
  else if (kind->after != NULL)
    result = kind->after (node, lowering->nest, result, reduce->n);
  return result;
}

/* 0, or NaN if one of @x is: maxima pass over it. */
static int
find_nan (TpLowering *lowering, int x)
{
  TpNest *nest = lowering->nest;

  return tp_lowering_reduce (
      lowering, TP_COMBINE_SUM,
      tp_nest_select (nest, tp_nest_unary (nest, TP_EXPR_IS_NAN, x), x,
                      tp_nest_const (nest, 0.0)));
}

static int
extremum_expr (TpLowering *lowering, const Reduce *reduce)
{
  int x = tp_nest_load (lowering->nest, 0);
  int result = reduce_expr (lowering, reduce);

  if (result == x || lowering->nest->exprs[x].is_integer)
    return result;
  return tp_nest_binary (lowering->nest, TP_EXPR_ADD, result,
                         find_nan (lowering, x));
}

/* The greatest is taken out, so that nothing overflows. Where that is infinite it
 * is the number next to it instead: of minus infinity the sum is then 0, of
 * infinity infinite. */
static int
log_sum_exp_expr (TpLowering *lowering, const Reduce *reduce)
{
  TpNest *nest = lowering->nest;
  int x = tp_nest_load (nest, 0);
  int max = tp_lowering_reduce (lowering, TP_COMBINE_MAX, x);
  int sum = -1;

  if (nest->exprs[x].is_integer)
    return tp_reduce_log_sum_exp_of_integers (lowering, x, max);

  max = tp_nest_binary (nest, TP_EXPR_MAX, max,
                        tp_nest_const (nest, -G_MAXFLOAT));
  max = tp_nest_binary (nest, TP_EXPR_MIN, max,
                        tp_nest_const (nest, G_MAXFLOAT));
  sum = tp_nest_unary (nest, TP_EXPR_EXP,
                       tp_nest_binary (nest, TP_EXPR_SUB, x, max));
  sum = tp_lowering_reduce (lowering, TP_COMBINE_SUM, sum);
  return tp_nest_binary (nest, TP_EXPR_ADD, max,
                         tp_nest_unary (nest, TP_EXPR_LOG, sum));
}

/* Sums of integers are exact, so what a double may not hold is for `ref`. */
static gboolean
check_integers (const TpLowering *lowering, const Reduce *reduce, GError **error)
{
  const ReduceKind *kind = lowering->node->op->data;
  const TpDtypeRow *row
      = tp_dtype_get (tp_lowering_get_input (lowering, 0)->dtype);
  double most = MAX (-(double) row->low, (double) row->high);
  double sum = (double) reduce->n
               * (kind->before == square_before ? most * most : most);
  gboolean is_exact = kind->fold == &tp_fold_log_sum_exp
                          ? most <= G_MAXUINT32 /* differences do not wrap */
                          : kind->end_integers == NULL
                                || sum <= TP_REDUCE_EXACT;

  if (row->class == TP_CLASS_REAL || is_exact)
    return TRUE;
  return tp_op_refuse (lowering->node, error,
                       "kernels are not exact for %" G_GINT64_FORMAT
                       " elements of %s",
                       reduce->n, row->name);
}

static gboolean
lower_as (TpLowering *lowering,
          int (*get_expr) (TpLowering *lowering, const Reduce *reduce),
          GError **error)
{
  const TpTensor *inputs[] = { tp_lowering_get_input (lowering, 0),
                               tp_lowering_get_input (lowering, 1) };
  Reduce reduce;

  return reduce_init (&reduce, lowering->node, inputs, error)
         && check_integers (lowering, &reduce, error)
         && reduce_add_axes (lowering, &reduce, error)
         && tp_lowering_finish (lowering, get_expr (lowering, &reduce));
}

static gboolean
reduce_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return lower_as (&lowering, reduce_expr, error);
}

static gboolean
extremum_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return lower_as (&lowering, extremum_expr, error);
}

static gboolean
log_sum_exp_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
                   GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);

  return lower_as (&lowering, log_sum_exp_expr, error);
}

static gboolean
global_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
              GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *x = tp_lowering_get_input (&lowering, 0);
  Reduce reduce = { .keeps_dims = TRUE,
                    .n = tp_dims_product (x->dims, 2, x->rank) };

  for (int i = 2; i < x->rank; i++)
    reduce.is_reduced[i] = TRUE;
  return reduce_add_axes (&lowering, &reduce, error)
         && tp_lowering_finish (&lowering, reduce_expr (&lowering, &reduce));
}

/* ---- reference --------------------------------------------------------- */

static void
fold (const TpNode *node, const TpRefTensor *x, const gboolean *is_reduced,
      TpRefTensor *out)
{
  const ReduceKind *kind = node->op->data;

  tp_fold_run (kind->fold, node, x, is_reduced, out);
}

/* Of inputs in doubles, or of integers. */
static void
reduce_init_reference (Reduce *reduce, const TpNode *node,
                       const TpRefTensor *const *inputs)
{
  gint64 values[TP_MAX_RANK];
  int n = 0;
  const gint64 *axes = tp_node_get_ints (node, "axes", &n);

  *reduce = (Reduce){ .rank = inputs[0]->rank };
  if (tp_node_has_input (node, 1))
    {
      n = inputs[1]->count;
      for (int i = 0; i < n; i++)
        values[i] = inputs[1]->data != NULL ? (gint64) inputs[1]->data[i]
                                            : inputs[1]->integers[i];
      axes = values;
    }
  if (!reduce_set_axes (reduce, node, axes, n, NULL))
    g_assert_not_reached ();
}

static void
reduce_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  Reduce reduce;

  reduce_init_reference (&reduce, node, inputs);
  fold (node, inputs[0], reduce.is_reduced, &outputs[0]);
}

static void
reduce_reference_integer (const TpNode *node, const TpRefTensor *const *inputs,
                          TpRefTensor *outputs)
{
  const ReduceKind *kind = node->op->data;
  Reduce reduce;

  reduce_init_reference (&reduce, node, inputs);
  tp_fold_run_integers (kind->fold, inputs[0], reduce.is_reduced, &outputs[0]);
}

static void
global_reference (const TpNode *node, const TpRefTensor *const *inputs,
                  TpRefTensor *outputs)
{
  static const gboolean is_spatial[TP_MAX_RANK] = { FALSE, FALSE, TRUE, TRUE,
                                                    TRUE,  TRUE,  TRUE, TRUE };

  fold (node, inputs[0], is_spatial, &outputs[0]);
}

/* ---- records ----------------------------------------------------------- */

static const TpAttrSpec reduce_attrs[] = {
  { "axes", TP_ATTR_INTS, FALSE },
  { "keepdims", TP_ATTR_INT, FALSE },
  { "noop_with_empty_axes", TP_ATTR_INT, FALSE },
  { 0 },
};

#define REDUCE                                                                 \
  .kind = TP_OP_REDUCE, .n_inputs_min = 1, .n_inputs_max = 2,                  \
  .n_outputs_max = 1, .attrs = reduce_attrs, .infer = reduce_infer,            \
  .reference = reduce_reference

#define COMBINES(...) .data = &(const ReduceKind){ __VA_ARGS__ }

#define GLOBAL                                                                 \
  .kind = TP_OP_REDUCE, .n_inputs_min = 1, .n_inputs_max = 1,                  \
  .n_outputs_max = 1, .infer = global_infer, .lower = global_lower,            \
  .reference = global_reference

const TpOp tp_op_reduce_l1 = {
  .name = "ReduceL1",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_SUM, abs_before, NULL, &tp_fold_abs, NULL),
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_l2 = {
  .name = "ReduceL2",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_SUM, square_before, root_after, &tp_fold_norm,
            tp_reduce_root_of_integers),
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_log_sum = {
  .name = "ReduceLogSum",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_SUM, NULL, log_after, &tp_fold_log_sum,
            tp_reduce_log_of_integers),
  .domain = TP_DOMAIN_POSITIVE,
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_log_sum_exp = {
  .name = "ReduceLogSumExp",
  REDUCE,
  .lower = log_sum_exp_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (.fold = &tp_fold_log_sum_exp),
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_max = {
  .name = "ReduceMax",
  REDUCE,
  .lower = extremum_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_MAX, NULL, NULL, &tp_fold_max, NULL),
  .tolerance = 0.0,
};

const TpOp tp_op_reduce_mean = {
  .name = "ReduceMean",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_SUM, NULL, mean_after, &tp_fold_mean, NULL),
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_min = {
  .name = "ReduceMin",
  REDUCE,
  .lower = extremum_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_MIN, NULL, NULL, &tp_fold_min, NULL),
  .tolerance = 0.0,
};

const TpOp tp_op_reduce_prod = {
  .name = "ReduceProd",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_PROD, NULL, NULL, &tp_fold_product, NULL),
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_sum = {
  .name = "ReduceSum",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_SUM, NULL, NULL, &tp_fold_sum, NULL),
  .tolerance = 1e-5,
};

const TpOp tp_op_reduce_sum_square = {
  .name = "ReduceSumSquare",
  REDUCE,
  .lower = reduce_lower,
  .reference_integer = reduce_reference_integer,
  COMBINES (TP_COMBINE_SUM, square_before, NULL, &tp_fold_square, NULL),
  .tolerance = 1e-5,
};

const TpOp tp_op_global_average_pool = {
  .name = "GlobalAveragePool",
  GLOBAL,
  COMBINES (TP_COMBINE_SUM, NULL, mean_after, &tp_fold_mean, NULL),
  .tolerance = 1e-5,
};

static const TpAttrSpec lp_pool_attrs[] = {
  { "p", TP_ATTR_INT, FALSE },
  { 0 },
};

const TpOp tp_op_global_lp_pool = {
  .name = "GlobalLpPool",
  GLOBAL,
  COMBINES (TP_COMBINE_SUM, power_before, power_after, &tp_fold_power, NULL),
  .attrs = lp_pool_attrs,
  .tolerance = 1e-5,
};

const TpOp tp_op_global_max_pool = {
  .name = "GlobalMaxPool",
  GLOBAL,
  COMBINES (TP_COMBINE_MAX, NULL, NULL, &tp_fold_max_number, NULL),
  .ranks = TP_RANKS_TAKEN,
  .tolerance = 0.0,
};
