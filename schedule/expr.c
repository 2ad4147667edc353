/* expr.c: a nest's expressions in kernel IR, at the current point and lanes. */
#include "config.h"

#include "schedule/expr.h"

#include "ir/guard.h"
#include "kernel/kernel-math.h"
#include "kernel/kernel-trig.h"
#include "nest/nest-expr.h"
#include "schedule/emit-access.h"

#include <math.h>
#include <string.h>

static const TpInstrOp simple_ops[TP_N_EXPR_OPS] = {
  [TP_EXPR_ADD] = TP_I_FADD, [TP_EXPR_SUB] = TP_I_FSUB,
  [TP_EXPR_MUL] = TP_I_FMUL, [TP_EXPR_DIV] = TP_I_FDIV,
  [TP_EXPR_MIN] = TP_I_FMIN, [TP_EXPR_MAX] = TP_I_FMAX,
  [TP_EXPR_NEG] = TP_I_FNEG, [TP_EXPR_ABS] = TP_I_FABS,
  [TP_EXPR_SQRT] = TP_I_FSQRT, [TP_EXPR_FLOOR] = TP_I_FFLOOR,
  [TP_EXPR_ROUND] = TP_I_FROUND,
};

static const TpInstrOp integer_ops[TP_N_EXPR_OPS] = {
  [TP_EXPR_ADD] = TP_I_IADD, [TP_EXPR_SUB] = TP_I_ISUB,
  [TP_EXPR_MUL] = TP_I_IMUL, [TP_EXPR_DIV] = TP_I_IDIV,
  [TP_EXPR_MIN] = TP_I_IMIN, [TP_EXPR_MAX] = TP_I_IMAX,
  [TP_EXPR_AND] = TP_I_IAND,
};

static gboolean
is_known (const TpEmit *emit, int expr)
{
  TpValue value = emit->known == NULL ? -1 : emit->known[expr];

  return value >= 0 && emit->kernel->instrs[value].lanes == emit->lanes;
}

static gboolean
is_product (const TpEmit *emit, int expr)
{
  return emit->nest->exprs[expr].op == TP_EXPR_MUL && !is_known (emit, expr);
}

/* A sum with a product as one of its terms is one instruction. Returns the
 * product, or -1. */
static int
find_product (const TpEmit *emit, const TpExpr *expr, int *out_other)
{
  if (expr->op != TP_EXPR_ADD || expr->is_integer)
    return -1;
  if (is_product (emit, expr->a))
    {
      *out_other = expr->b;
      return expr->a;
    }
  *out_other = expr->a;
  return is_product (emit, expr->b) ? expr->b : -1;
}

/* The comparison, or the question after guards, that @expr selects by, or NULL. */
static const TpExpr *
find_condition (const TpEmit *emit, const TpExpr *expr)
{
  const TpExpr *a = &emit->nest->exprs[MAX (expr->a, 0)];

  return expr->op == TP_EXPR_SELECT && !is_known (emit, expr->a)
                 && (a->op == TP_EXPR_LESS || a->op == TP_EXPR_EQUAL
                     || a->op == TP_EXPR_IS_NAN || a->op == TP_EXPR_INSIDE)
             ? a
             : NULL;
}

static void
mark_parts (const TpExpr *expr, gboolean *needed)
{
  int arity = tp_expr_arity (expr->op);

  if (arity > 0)
    needed[expr->a] = TRUE;
  if (arity > 1)
    needed[expr->b] = TRUE;
  if (arity > 2)
    needed[expr->c] = TRUE;
}

/* What is known needs nothing, and to select by a comparison its truth is not
 * needed. */
static void
mark_needed (const TpEmit *emit, int root, gboolean *needed)
{
  const TpNest *nest = emit->nest;

  needed[root] = TRUE;
  for (int i = root; i >= 0; i--)
    {
      const TpExpr *expr = &nest->exprs[i], *condition;
      int other, product;

      if (!needed[i] || is_known (emit, i))
        continue;
      product = find_product (emit, expr, &other);
      condition = find_condition (emit, expr);
      if (product >= 0)
        {
          needed[other] = TRUE;
          expr = &nest->exprs[product];
        }
      if (condition != NULL)
        {
          mark_parts (condition, needed);
          needed[expr->b] = needed[expr->c] = TRUE;
        }
      else
        mark_parts (expr, needed);
    }
}

static TpValue
emit_power (TpEmit *emit, const TpExpr *expr, const TpValue *values)
{
  const TpExpr *exponent = &emit->nest->exprs[expr->b];
  TpKernel *k = emit->kernel;
  TpValue x = values[expr->a];

  if (exponent->op == TP_EXPR_CONST && exponent->value == 2.0)
    return tp_k_binary (k, TP_I_FMUL, x, x);
  if (exponent->op == TP_EXPR_CONST && exponent->value == 3.0)
    return tp_k_binary (k, TP_I_FMUL, tp_k_binary (k, TP_I_FMUL, x, x), x);
  if (exponent->op == TP_EXPR_CONST && exponent->value == 1.0)
    return x;
  if (exponent->op == TP_EXPR_CONST && exponent->value == 0.5)
    return tp_k_unary (k, TP_I_FSQRT, x);
  if (exponent->op == TP_EXPR_CONST && exponent->value == -1.0)
    return tp_k_binary (k, TP_I_FDIV, tp_emit_number_like (emit, 1.0, x), x);
  if (expr->is_double)
    return tp_k_binary (k, TP_I_FPOW, x, values[expr->b]);
  return tp_k_pow (k, x, values[expr->b]);
}

static TpValue
emit_stage (TpEmit *emit, int stage)
{
  TpValue value = emit->stages[stage];

  if (emit->kernel->instrs[value].lanes == emit->lanes)
    return value;
  return tp_k_splat (emit->kernel, value, emit->lanes);
}

/* 1 where @mask holds (-1: everywhere), else 0, of the class of @expr. */
static TpValue
emit_truth (TpEmit *emit, TpValue mask, const TpExpr *expr)
{
  TpDtype dtype = tp_expr_get_dtype (expr);
  TpValue one = tp_emit_number (emit, 1.0, dtype, emit->lanes);

  return mask < 0 ? one
                  : tp_k_select (emit->kernel, mask, one,
                                 tp_emit_number (emit, 0.0, dtype, emit->lanes));
}

static TpValue
emit_leaf (TpEmit *emit, const TpExpr *expr)
{
  switch (expr->op)
    {
    case TP_EXPR_CONST:
      if (expr->is_integer)
        return tp_emit_integer (emit, expr->integer, emit->lanes);
      return tp_emit_number (emit, expr->value, tp_expr_get_dtype (expr),
                             emit->lanes);
    case TP_EXPR_STAGE:
      return emit_stage (emit, expr->index);
    case TP_EXPR_INSIDE:
      return emit_truth (emit, tp_emit_inside (emit, expr->index), expr);
    default:
      return tp_emit_load (emit, expr->index);
    }
}

static TpKind
kind_of (const TpEmit *emit, TpValue value)
{
  return emit->kernel->instrs[value].kind;
}

/* Where a comparison, or all guards of a load, hold; -1: everywhere. */
static TpValue
emit_condition (TpEmit *emit, const TpExpr *expr, const TpValue *values)
{
  TpInstrOp op = expr->op == TP_EXPR_LESS ? TP_I_FLESS : TP_I_FEQUAL;
  TpKernel *k = emit->kernel;
  TpValue a = values[MAX (expr->a, 0)];

  if (expr->op == TP_EXPR_INSIDE)
    return tp_emit_inside (emit, expr->index);
  if (expr->op == TP_EXPR_IS_NAN)
    return tp_k_unary (k, TP_I_MNOT, tp_k_binary (k, TP_I_FEQUAL, a, a));
  if (expr->is_integer)
    op = expr->op == TP_EXPR_LESS ? TP_I_ILESS : TP_I_IEQUAL;
  return tp_k_binary (k, op, a, values[expr->b]);
}

static TpValue
emit_is_zero (TpEmit *emit, TpValue value)
{
  return tp_k_binary (emit->kernel,
                      kind_of (emit, value) == TP_KIND_INDEX ? TP_I_IEQUAL
                                                             : TP_I_FEQUAL,
                      value, tp_emit_number_like (emit, 0.0, value));
}

static TpValue
emit_select (TpEmit *emit, const TpExpr *expr, const TpValue *values)
{
  const TpExpr *condition = find_condition (emit, expr);
  TpValue mask;

  if (condition == NULL)
    return tp_k_select (emit->kernel, emit_is_zero (emit, values[expr->a]),
                        values[expr->c], values[expr->b]);
  mask = emit_condition (emit, condition, values);
  return mask < 0 ? values[expr->b]
                  : tp_k_select (emit->kernel, mask, values[expr->b],
                                 values[expr->c]);
}

/* a - floor (a / b) * b, rounded once. */
static TpValue
emit_real_mod (TpEmit *emit, TpValue a, TpValue b)
{
  TpKernel *k = emit->kernel;
  TpValue floor = tp_k_unary (k, TP_I_FFLOOR, tp_k_binary (k, TP_I_FDIV, a, b));

  return tp_k_fma (k, tp_k_unary (k, TP_I_FNEG, floor), b, a);
}

/* The truncated remainder, moved into [0, b) or (b, 0]. */
static TpValue
emit_integer_mod (TpEmit *emit, TpValue a, TpValue b)
{
  TpKernel *k = emit->kernel;
  TpValue zero = tp_emit_integer (emit, 0, emit->lanes);
  TpValue rest = tp_k_binary (k, TP_I_IMOD, a, b);
  TpValue is_off = tp_k_binary (
      k, TP_I_MOR,
      tp_k_binary (k, TP_I_MAND, tp_k_binary (k, TP_I_ILESS, rest, zero),
                   tp_k_binary (k, TP_I_ILESS, zero, b)),
      tp_k_binary (k, TP_I_MAND, tp_k_binary (k, TP_I_ILESS, zero, rest),
                   tp_k_binary (k, TP_I_ILESS, b, zero)));

  return tp_k_select (k, is_off, tp_k_binary (k, TP_I_IADD, rest, b), rest);
}

/* The bits, of what is below 0 but the sign the other way round; 0 is added for both
 * zeros to have those of one. */
static TpValue
emit_order (TpEmit *emit, TpValue a)
{
  TpKernel *k = emit->kernel;
  TpValue positive
      = tp_k_binary (k, TP_I_FADD, a, tp_emit_number_like (emit, 0.0, a));
  TpValue bits = tp_k_unary (k, TP_I_AS_INDEX, positive);
  TpValue turned = tp_k_binary (
      k, TP_I_IXOR, bits, tp_emit_integer (emit, G_MAXINT64, emit->lanes));
  TpValue is_below = tp_k_binary (k, TP_I_ILESS, bits,
                                  tp_emit_integer (emit, 0, emit->lanes));

  return tp_k_select (k, is_below, turned, bits);
}

static TpValue
emit_integer_op (TpEmit *emit, const TpExpr *expr, const TpValue *values)
{
  TpKernel *k = emit->kernel;
  TpValue a = values[expr->a], minus;

  switch (expr->op)
    {
    case TP_EXPR_TO_INTEGER:
      return tp_k_unary (k, TP_I_REAL_TO_INDEX, a);
    case TP_EXPR_ORDER:
      return emit_order (emit, a);
    case TP_EXPR_NEG:
    case TP_EXPR_ABS:
      minus = tp_k_binary (k, TP_I_ISUB,
                           tp_emit_integer (emit, 0, emit->lanes), a);
      return expr->op == TP_EXPR_NEG ? minus
                                     : tp_k_binary (k, TP_I_IMAX, a, minus);
    case TP_EXPR_MOD:
      return emit_integer_mod (emit, a, values[expr->b]);
    default:
      return tp_k_binary (k, integer_ops[expr->op], a, values[expr->b]);
    }
}

/* Of a double the single next to it towards 0, made odd where that is not the same
 * number: whatever is narrower by two bits or more is then rounded once. */
static TpValue
emit_odd (TpEmit *emit, TpValue a)
{
  TpKernel *k = emit->kernel;
  TpValue near = tp_k_unary (k, TP_I_F64_TO_F32, a);
  TpValue back = tp_k_unary (k, TP_I_F32_TO_F64, near);
  TpValue bits = tp_k_unary (k, TP_I_AS_I32, near);
  TpValue one = tp_k_i32 (k, k->instrs[a].lanes, 1);
  TpValue is_beyond = tp_k_binary (k, TP_I_FLESS, tp_k_unary (k, TP_I_FABS, a),
                                   tp_k_unary (k, TP_I_FABS, back));
  TpValue odd = tp_k_select (k, is_beyond, tp_k_binary (k, TP_I_ISUB, bits, one), bits);

  odd = tp_k_binary (k, TP_I_ISUB,
                     tp_k_binary (k, TP_I_IADD, odd, one),
                     tp_k_binary (k, TP_I_IAND, odd, one));
  odd = tp_k_select (k, tp_k_binary (k, TP_I_FEQUAL, back, a), bits, odd);
  return tp_k_unary (k, TP_I_AS_F32, odd);
}

/* Whether memory rounds the value of @expr again. */
static gboolean
is_stored_narrow (const TpEmit *emit, const TpExpr *expr)
{
  return expr == &emit->nest->exprs[emit->nest->result]
         && !tp_dtype_holds_results (emit->nest->store.dtype);
}

static TpValue
emit_real (TpEmit *emit, const TpExpr *expr, TpValue a)
{
  static const TpInstrOp ops[][2]
      = { [TP_KIND_INDEX] = { TP_I_INDEX_TO_F32, TP_I_INDEX_TO_F64 },
          [TP_KIND_F32] = { [TRUE] = TP_I_F32_TO_F64 },
          [TP_KIND_F64] = { [FALSE] = TP_I_F64_TO_F32 } };

  if (kind_of (emit, a) == TP_KIND_F64 && is_stored_narrow (emit, expr))
    return emit_odd (emit, a);
  return tp_k_unary (emit->kernel, ops[kind_of (emit, a)][expr->is_double], a);
}

/* Functions of one F64, which are those of a mathematical library. */
static const TpInstrOp double_ops[TP_N_EXPR_OPS] = {
  [TP_EXPR_EXP] = TP_I_FEXP, [TP_EXPR_LOG] = TP_I_FLOG,
  [TP_EXPR_TANH] = TP_I_FTANH, [TP_EXPR_ERF] = TP_I_FERF,
  [TP_EXPR_SIN] = TP_I_FSIN, [TP_EXPR_COS] = TP_I_FCOS,
};

/* 1 / (1 + exp (-x)) */
static TpValue
emit_double_sigmoid (TpEmit *emit, TpValue x)
{
  TpKernel *k = emit->kernel;
  TpValue one = tp_emit_number_like (emit, 1.0, x);

  x = tp_k_unary (k, TP_I_FEXP, tp_k_unary (k, TP_I_FNEG, x));
  return tp_k_binary (k, TP_I_FDIV, one, tp_k_binary (k, TP_I_FADD, one, x));
}

static TpValue
emit_single_function (TpEmit *emit, const TpExpr *expr, TpValue a)
{
  TpKernel *k = emit->kernel;

  switch (expr->op)
    {
    case TP_EXPR_EXP:
      return tp_nest_is_below_most (emit->nest, expr->a) ? tp_k_exp_below (k, a)
                                                         : tp_k_exp (k, a);
    case TP_EXPR_LOG:
      return tp_k_log (k, a);
    case TP_EXPR_TANH:
      return tp_k_tanh (k, a);
    case TP_EXPR_ERF:
      return tp_k_erf (k, a);
    case TP_EXPR_SIGMOID:
      return tp_k_sigmoid (k, a);
    case TP_EXPR_SIN:
      return tp_k_sin (k, a);
    default: /* COS */
      return tp_k_cos (k, a);
    }
}

static gboolean
is_function (TpExprOp op)
{
  return double_ops[op] != 0 || op == TP_EXPR_SIGMOID;
}

static TpValue
emit_function (TpEmit *emit, const TpExpr *expr, TpValue a)
{
  if (!expr->is_double)
    return emit_single_function (emit, expr, a);
  return expr->op == TP_EXPR_SIGMOID
             ? emit_double_sigmoid (emit, a)
             : tp_k_unary (emit->kernel, double_ops[expr->op], a);
}

static TpValue
emit_real_op (TpEmit *emit, const TpExpr *expr, const TpValue *values)
{
  TpKernel *k = emit->kernel;
  TpValue a = values[expr->a];

  if (is_function (expr->op))
    return emit_function (emit, expr, a);
  switch (expr->op)
    {
    case TP_EXPR_TO_REAL:
      return emit_real (emit, expr, a);
    case TP_EXPR_POW:
      return emit_power (emit, expr, values);
    case TP_EXPR_MOD:
      return emit_real_mod (emit, a, values[expr->b]);
    default:
      if (tp_expr_arity (expr->op) == 1)
        return tp_k_unary (k, simple_ops[expr->op], a);
      return tp_k_binary (k, simple_ops[expr->op], a, values[expr->b]);
    }
}

static TpValue
emit_one (TpEmit *emit, const TpExpr *expr, const TpValue *values)
{
  TpKernel *k = emit->kernel;
  int other, product = find_product (emit, expr, &other);
  const TpExpr *mul = product < 0 ? NULL : &emit->nest->exprs[product];

  if (mul != NULL)
    return tp_k_fma (k, values[mul->a], values[mul->b], values[other]);
  if (tp_expr_arity (expr->op) == 0)
    return emit_leaf (emit, expr);
  switch (expr->op)
    {
    case TP_EXPR_LESS:
    case TP_EXPR_EQUAL:
    case TP_EXPR_IS_NAN:
      return emit_truth (emit, emit_condition (emit, expr, values),
                         expr);
    case TP_EXPR_SELECT:
      return emit_select (emit, expr, values);
    default:
      return expr->is_integer ? emit_integer_op (emit, expr, values)
                              : emit_real_op (emit, expr, values);
    }
}

/* Expressions stand in order: one pass forwards, no recursion. */
TpValue
tp_emit_expr (TpEmit *emit, int root)
{
  g_autofree gboolean *needed = tp_new0 (gboolean, root + 1);
  g_autofree TpValue *values = tp_new (TpValue, root + 1);

  mark_needed (emit, root, needed);
  for (int i = 0; i <= root; i++)
    if (needed[i])
      values[i] = is_known (emit, i)
                      ? emit->known[i]
                      : emit_one (emit, &emit->nest->exprs[i], values);
  return values[root];
}

/* Whether the same at all points, of each of @n expressions. */
static void
find_uniform (const TpNest *nest, int n, gboolean *uniform)
{
  for (int i = 0; i < n; i++)
    {
      int parts[3];
      int n_parts = tp_nest_get_parts (nest, i, parts);
      TpExprOp op = nest->exprs[i].op;

      uniform[i] = !nest->exprs[i].is_integer && op != TP_EXPR_LOAD
                   && op != TP_EXPR_INSIDE;
      for (int k = 0; k < n_parts; k++)
        uniform[i] = uniform[i] && uniform[parts[k]];
    }
}

void
tp_emit_know_uniform (TpEmit *emit, int root, int lanes)
{
  g_autofree gboolean *used = tp_new0 (gboolean, root + 1);
  g_autofree gboolean *uniform = tp_new0 (gboolean, root + 1);

  tp_nest_mark_used (emit->nest, root, used);
  find_uniform (emit->nest, root + 1, uniform);
  for (int i = 0; i <= root; i++)
    if (used[i] && uniform[i] && tp_expr_arity (emit->nest->exprs[i].op) > 0)
      emit->known[i] = tp_emit_expr (emit, i);
  for (int i = 0; i <= root; i++)
    if (used[i] && uniform[i] && emit->known[i] >= 0)
      emit->known[i] = tp_k_splat (emit->kernel, emit->known[i], lanes);
}

void
tp_emit_forget (TpEmit *emit)
{
  for (int i = 0; i < emit->nest->n_exprs; i++)
    emit->known[i] = -1;
}

TpValue
tp_emit_number (TpEmit *emit, double value, TpDtype dtype, int lanes)
{
  if (tp_dtype_is_integer (dtype))
    return tp_emit_integer (emit, tp_real_to_integer (value), lanes);
  return dtype == TPLAN_DTYPE_FLOAT64
             ? tp_k_f64 (emit->kernel, lanes, value)
             : tp_k_f32 (emit->kernel, lanes, (float) value);
}

TpValue
tp_emit_number_like (TpEmit *emit, double value, TpValue like)
{
  static const TpDtype dtypes[] = { [TP_KIND_INDEX] = TPLAN_DTYPE_INT64,
                                    [TP_KIND_F32] = TPLAN_DTYPE_FLOAT32,
                                    [TP_KIND_F64] = TPLAN_DTYPE_FLOAT64 };

  return tp_emit_number (emit, value, dtypes[kind_of (emit, like)],
                         emit->kernel->instrs[like].lanes);
}

/* A maximum gives the second operand when either is NaN: with the new value first
 * it passes over those, in whatever order elements come. */
TpValue
tp_emit_combine (TpEmit *emit, TpCombiner combiner, TpValue a, TpValue b)
{
  static const TpInstrOp reals[] = { [TP_COMBINE_SUM] = TP_I_FADD,
                                     [TP_COMBINE_MAX] = TP_I_FMAX,
                                     [TP_COMBINE_MIN] = TP_I_FMIN,
                                     [TP_COMBINE_PROD] = TP_I_FMUL };
  static const TpInstrOp integers[] = { [TP_COMBINE_SUM] = TP_I_IADD,
                                        [TP_COMBINE_MAX] = TP_I_IMAX,
                                        [TP_COMBINE_MIN] = TP_I_IMIN,
                                        [TP_COMBINE_PROD] = TP_I_IMUL };
  const TpInstrOp *ops = kind_of (emit, a) == TP_KIND_INDEX ? integers : reals;

  if (combiner == TP_COMBINE_MAX || combiner == TP_COMBINE_MIN)
    return tp_k_binary (emit->kernel, ops[combiner], b, a);
  return tp_k_binary (emit->kernel, ops[combiner], a, b);
}

TpValue
tp_emit_accumulate (TpEmit *emit, TpCombiner combiner, TpValue acc, int expr)
{
  const TpExpr *e = &emit->nest->exprs[expr];
  TpValue a;

  if (combiner != TP_COMBINE_SUM || e->op != TP_EXPR_MUL || e->is_integer)
    return tp_emit_combine (emit, combiner, acc, tp_emit_expr (emit, expr));
  a = tp_emit_expr (emit, e->a);
  return tp_k_fma (emit->kernel, a, tp_emit_expr (emit, e->b), acc);
}

double
tp_combiner_identity (TpCombiner combiner)
{
  switch (combiner)
    {
    case TP_COMBINE_SUM:
      return 0.0;
    case TP_COMBINE_MAX:
      return -INFINITY;
    case TP_COMBINE_MIN:
      return INFINITY;
    default:
      return 1.0;
    }
}

TpValue
tp_emit_identity (TpEmit *emit, TpCombiner combiner, int expr)
{
  static const gint64 integers[] = { [TP_COMBINE_SUM] = 0,
                                     [TP_COMBINE_MAX] = G_MININT64,
                                     [TP_COMBINE_MIN] = G_MAXINT64,
                                     [TP_COMBINE_PROD] = 1 };

  if (emit->nest->exprs[expr].is_integer)
    return tp_emit_integer (emit, integers[combiner], emit->lanes);
  return tp_emit_number (emit, tp_combiner_identity (combiner),
                         tp_expr_get_dtype (&emit->nest->exprs[expr]),
                         emit->lanes);
}
