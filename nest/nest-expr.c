/* nest-expr.c: the operations of expressions: their names, what they take, and
 * what they give. */
#include "config.h"

#include "nest/nest-expr.h"

#include "ir/guard.h"
#include "nest/nest.h"

#include <math.h>
#include <string.h>

/* ---- the table ---------------------------------------------------------- */

/* Which classes of operands an operation takes. */
typedef enum
{
  TAKES_ONE,      /* either, all the same */
  TAKES_REALS,
  TAKES_INTEGERS,
  TAKES_BRANCHES, /* SELECT: the last two the same */
  TAKES_OTHERS,   /* another than it gives */
} Takes;

static const struct
{
  const char *name;
  int arity;
  Takes takes;
} expr_ops[TP_N_EXPR_OPS] = {
  [TP_EXPR_CONST] = { "const", 0, TAKES_ONE },
  [TP_EXPR_LOAD] = { "load", 0, TAKES_ONE },
  [TP_EXPR_STAGE] = { "stage", 0, TAKES_ONE },
  [TP_EXPR_INSIDE] = { "inside", 0, TAKES_ONE },
  [TP_EXPR_ADD] = { "add", 2, TAKES_ONE },
  [TP_EXPR_SUB] = { "sub", 2, TAKES_ONE },
  [TP_EXPR_MUL] = { "mul", 2, TAKES_ONE },
  [TP_EXPR_DIV] = { "div", 2, TAKES_ONE },
  [TP_EXPR_MIN] = { "min", 2, TAKES_ONE },
  [TP_EXPR_MAX] = { "max", 2, TAKES_ONE },
  [TP_EXPR_POW] = { "pow", 2, TAKES_REALS },
  [TP_EXPR_NEG] = { "neg", 1, TAKES_ONE },
  [TP_EXPR_ABS] = { "abs", 1, TAKES_ONE },
  [TP_EXPR_EXP] = { "exp", 1, TAKES_REALS },
  [TP_EXPR_LOG] = { "log", 1, TAKES_REALS },
  [TP_EXPR_TANH] = { "tanh", 1, TAKES_REALS },
  [TP_EXPR_ERF] = { "erf", 1, TAKES_REALS },
  [TP_EXPR_SIGMOID] = { "sigmoid", 1, TAKES_REALS },
  [TP_EXPR_SIN] = { "sin", 1, TAKES_REALS },
  [TP_EXPR_COS] = { "cos", 1, TAKES_REALS },
  [TP_EXPR_SQRT] = { "sqrt", 1, TAKES_REALS },
  [TP_EXPR_FLOOR] = { "floor", 1, TAKES_REALS },
  [TP_EXPR_ROUND] = { "round", 1, TAKES_REALS },
  [TP_EXPR_MOD] = { "mod", 2, TAKES_ONE },
  [TP_EXPR_LESS] = { "less", 2, TAKES_ONE },
  [TP_EXPR_EQUAL] = { "equal", 2, TAKES_ONE },
  [TP_EXPR_AND] = { "and", 2, TAKES_INTEGERS },
  [TP_EXPR_SELECT] = { "select", 3, TAKES_BRANCHES },
  [TP_EXPR_IS_NAN] = { "is_nan", 1, TAKES_REALS },
  [TP_EXPR_TO_REAL] = { "to_real", 1, TAKES_OTHERS },
  [TP_EXPR_TO_INTEGER] = { "to_integer", 1, TAKES_REALS },
  [TP_EXPR_ORDER] = { "order", 1, TAKES_REALS },
};

int
tp_expr_arity (TpExprOp op)
{
  g_assert (op < TP_N_EXPR_OPS);
  return expr_ops[op].arity;
}

const char *
tp_expr_get_name (TpExprOp op)
{
  g_assert (op < TP_N_EXPR_OPS);
  return expr_ops[op].name;
}

/* ---- structure ---------------------------------------------------------- */

int
tp_nest_get_parts (const TpNest *nest, int expr, int out_parts[3])
{
  const TpExpr *e = &nest->exprs[expr];

  if (e->op == TP_EXPR_LOAD || e->op == TP_EXPR_INSIDE)
    {
      out_parts[0] = nest->loads[e->index].index;
      return out_parts[0] >= 0;
    }
  out_parts[0] = e->a;
  out_parts[1] = e->b;
  out_parts[2] = e->c;
  return tp_expr_arity (e->op);
}

void
tp_nest_mark_used (const TpNest *nest, int expr, gboolean *used)
{
  used[expr] = TRUE;
  for (int i = expr; i >= 0; i--)
    {
      int parts[3];
      int n = used[i] ? tp_nest_get_parts (nest, i, parts) : 0;

      for (int k = 0; k < n; k++)
        used[parts[k]] = TRUE;
    }
}

static gboolean
is_long (TpExprOp op)
{
  return (op >= TP_EXPR_EXP && op <= TP_EXPR_COS) || op == TP_EXPR_POW;
}

gboolean
tp_nest_takes_long (const TpNest *nest, int expr)
{
  g_autofree gboolean *used = tp_new0 (gboolean, expr + 1);

  tp_nest_mark_used (nest, expr, used);
  for (int i = 0; i <= expr; i++)
    if (used[i] && is_long (nest->exprs[i].op))
      return TRUE;
  return FALSE;
}

gboolean
tp_nest_is_below_most (const TpNest *nest, int expr)
{
  const TpExpr *e = &nest->exprs[expr];
  const TpStage *stage;

  if (e->op != TP_EXPR_SUB || e->is_integer
      || nest->exprs[e->b].op != TP_EXPR_STAGE)
    return FALSE;
  stage = &nest->stages[nest->exprs[e->b].index];
  return stage->combiner == TP_COMBINE_MAX && stage->expr == e->a;
}

gboolean
tp_nest_covers_reduce (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && nest->store.stride[i] != 0)
      return TRUE;
  return FALSE;
}

/* ---- classes ------------------------------------------------------------ */

static gboolean
is_alike (const TpExpr *a, const TpExpr *b)
{
  return a->is_integer == b->is_integer && a->is_double == b->is_double;
}

static gboolean
parts_fit (const TpNest *nest, const TpExpr *e)
{
  const TpExpr *a = &nest->exprs[e->a];
  int arity = tp_expr_arity (e->op);
  gboolean fits = arity != 2 || is_alike (a, &nest->exprs[e->b]);

  switch (expr_ops[e->op].takes)
    {
    case TAKES_REALS:
      return !a->is_integer && fits;
    case TAKES_INTEGERS:
      return a->is_integer && fits;
    case TAKES_BRANCHES:
      return is_alike (&nest->exprs[e->b], &nest->exprs[e->c]);
    case TAKES_OTHERS:
      return !is_alike (e, a);
    default:
      return fits;
    }
}

TpDtype
tp_expr_get_dtype (const TpExpr *expr)
{
  return expr->is_integer  ? TPLAN_DTYPE_INT64
         : expr->is_double ? TPLAN_DTYPE_FLOAT64
                           : TPLAN_DTYPE_FLOAT32;
}

gboolean
tp_expr_is_of_dtype (const TpExpr *expr, TpDtype dtype)
{
  return tp_dtype_get (tp_expr_get_dtype (expr))->compute
         == tp_dtype_get (dtype)->compute;
}

gboolean
tp_nest_has_doubles (const TpNest *nest)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs + 1);

  tp_nest_mark_used (nest, nest->result, used);
  for (int i = 0; i < nest->n_stages; i++)
    tp_nest_mark_used (nest, nest->stages[i].expr, used);
  if (nest->store.index >= 0)
    tp_nest_mark_used (nest, nest->store.index, used);
  for (int i = 0; i < nest->n_exprs; i++)
    if (used[i] && nest->exprs[i].is_double)
      return TRUE;
  return FALSE;
}

/* What it is that @e does not take. */
static const char *
name_unfit (const TpNest *nest, const TpExpr *e)
{
  Takes takes = expr_ops[e->op].takes;
  int first = takes == TAKES_BRANCHES ? e->b : e->a;
  int second = takes == TAKES_BRANCHES ? e->c : e->b;

  if (takes == TAKES_REALS)
    return nest->exprs[first].is_integer
                   || (second >= 0 && nest->exprs[second].is_integer)
               ? "integers"
               : "float32 with float64";
  if (takes == TAKES_INTEGERS || takes == TAKES_OTHERS)
    return "reals";
  return nest->exprs[first].is_integer == nest->exprs[second].is_integer
             ? "float32 with float64"
             : "integers with reals";
}

gboolean
tp_nest_check_classes (const TpNest *nest, GError **error)
{
  const TpExpr *result = &nest->exprs[nest->result];

  for (int i = 0; i < nest->n_exprs; i++)
    {
      const TpExpr *e = &nest->exprs[i];

      if (tp_expr_arity (e->op) == 0 || parts_fit (nest, e))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "kernels have no %s of %s: cast to another type first",
                   tp_expr_get_name (e->op),
                   name_unfit (nest, e));
      return FALSE;
    }
  if (tp_expr_is_of_dtype (result, nest->store.dtype))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "kernels cannot store %s as %s: cast to another type first",
               result->is_integer  ? "integers"
               : result->is_double ? "float64"
                                   : "reals",
               tp_dtype_get_name (nest->store.dtype));
  return FALSE;
}

/* ---- values ------------------------------------------------------------- */

static double
apply_real (TpExprOp op, double a, double b)
{
  switch (op)
    {
    case TP_EXPR_ADD:
      return a + b;
    case TP_EXPR_SUB:
      return a - b;
    case TP_EXPR_MUL:
      return a * b;
    case TP_EXPR_DIV:
      return a / b;
    case TP_EXPR_MOD:
      return a - floor (a / b) * b;
    case TP_EXPR_MIN:
      return a < b ? a : b;
    case TP_EXPR_MAX:
      return a > b ? a : b;
    case TP_EXPR_POW:
      return pow (a, b);
    case TP_EXPR_LESS:
      return a < b;
    case TP_EXPR_EQUAL:
      return a == b;
    default:
      g_assert_not_reached ();
    }
}

static double
apply_real_unary (TpExprOp op, double a)
{
  switch (op)
    {
    case TP_EXPR_NEG:
      return -a;
    case TP_EXPR_ABS:
      return fabs (a);
    case TP_EXPR_EXP:
      return exp (a);
    case TP_EXPR_LOG:
      return log (a);
    case TP_EXPR_TANH:
      return tanh (a);
    case TP_EXPR_ERF:
      return erf (a);
    case TP_EXPR_SIGMOID:
      return 1.0 / (1.0 + exp (-a));
    case TP_EXPR_SIN:
      return sin (a);
    case TP_EXPR_COS:
      return cos (a);
    case TP_EXPR_SQRT:
      return sqrt (a);
    case TP_EXPR_FLOOR:
      return floor (a);
    case TP_EXPR_ROUND:
      return nearbyint (a);
    case TP_EXPR_IS_NAN:
      return isnan (a);
    default:
      g_assert_not_reached ();
    }
}

/* Wraps as two's complement, in unsigned arithmetic. */
static gint64
apply_integer (TpExprOp op, gint64 a, gint64 b)
{
  switch (op)
    {
    case TP_EXPR_ADD:
      return (gint64)((guint64)a + (guint64)b);
    case TP_EXPR_SUB:
      return (gint64)((guint64)a - (guint64)b);
    case TP_EXPR_MUL:
      return (gint64)((guint64)a * (guint64)b);
    case TP_EXPR_DIV:
      return b == 0 ? 0 : b == -1 ? (gint64)-(guint64)a : a / b;
    case TP_EXPR_MOD:
      if (b == 0 || b == -1)
        return 0;
      return a % b != 0 && (a < 0) != (b < 0) ? a % b + b : a % b;
    case TP_EXPR_MIN:
      return a < b ? a : b;
    case TP_EXPR_MAX:
      return a > b ? a : b;
    case TP_EXPR_LESS:
      return a < b;
    case TP_EXPR_EQUAL:
      return a == b;
    case TP_EXPR_AND:
      return a & b;
    case TP_EXPR_NEG:
      return (gint64)-(guint64)a;
    case TP_EXPR_ABS:
      return a < 0 ? (gint64)-(guint64)a : a;
    default:
      g_assert_not_reached ();
    }
}

gint64
tp_real_to_integer (double value)
{
  if (isnan (value))
    return 0;
  if (value >= 0x1p63)
    return G_MAXINT64;
  return value < -0x1p63 ? G_MININT64 : (gint64)value;
}

static gboolean
scalar_is_zero (const TpNest *nest, int expr, TpScalar value)
{
  return nest->exprs[expr].is_integer ? value.integer == 0 : value.real == 0.0;
}

/* The bits, of what is below 0 but the sign the other way round. */
static gint64
get_order (double value)
{
  double positive = value + 0.0; /* of both zeros */
  gint64 bits;

  memcpy (&bits, &positive, sizeof bits);
  return bits < 0 ? bits ^ G_MAXINT64 : bits;
}

/* What was double is rounded where it becomes single. */
static double
to_real (const TpExpr *e, const TpExpr *from, TpScalar value)
{
  if (from->is_integer)
    return (double) value.integer;
  return e->is_double ? value.real : (float) value.real;
}

TpScalar
tp_expr_apply (const TpNest *nest, int expr, const TpScalar *values)
{
  const TpExpr *e = &nest->exprs[expr];
  int arity = tp_expr_arity (e->op);
  TpScalar a = values[e->a];
  TpScalar b = arity > 1 ? values[e->b] : a;

  if (e->op == TP_EXPR_SELECT)
    return scalar_is_zero (nest, e->a, a) ? values[e->c] : b;
  if (e->op == TP_EXPR_TO_REAL)
    return (TpScalar){ .real = to_real (e, &nest->exprs[e->a], a) };
  if (e->op == TP_EXPR_TO_INTEGER)
    return (TpScalar){ .integer = tp_real_to_integer (a.real) };
  if (e->op == TP_EXPR_ORDER)
    return (TpScalar){ .integer = get_order (a.real) };
  if (e->is_integer)
    return (TpScalar){ .integer = apply_integer (e->op, a.integer, b.integer) };
  if (arity == 1)
    return (TpScalar){ .real = apply_real_unary (e->op, a.real) };
  return (TpScalar){ .real = apply_real (e->op, a.real, b.real) };
}
