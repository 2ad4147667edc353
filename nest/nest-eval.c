/* nest-eval.c: runs nests in double by plain loops: slow and right. */
#include "config.h"

#include "nest/nest-eval.h"

#include "nest/nest-expr.h"
#include "nest/nest.h"

#include <math.h>
#include <string.h>

/* One nest being run: where it stands, and what every expression last gave. */
typedef struct
{
  const TpNest *nest;
  double *const *operands;
  gint64 at[TP_NEST_MAX_AXES];
  gint64 *load_index; /* per load, kept up to date by axis_step () */
  gint64 store_index;
  TpScalar *value; /* per expression */
  TpScalar *stage; /* per stage */
} Eval;

/* Expressions to run for one root, in order. */
typedef struct
{
  int root;
  int n;
  int *exprs;
} Script;

static Script
script_new (const TpNest *nest, int root)
{
  g_autofree gboolean *used = g_new0 (gboolean, nest->n_exprs);
  Script script = { root, 0, g_new (int, nest->n_exprs) };

  tp_nest_mark_used (nest, root, used);
  for (int i = 0; i < nest->n_exprs; i++)
    if (used[i])
      script.exprs[script.n++] = i;
  return script;
}

static gboolean
eval_is_inside (const Eval *eval, const TpAccess *load)
{
  for (int i = 0; i < load->n_guards; i++)
    {
      const TpGuard *guard = &load->guards[i];
      gint64 sum = guard->offset;

      for (int k = 0; k < eval->nest->n_axes; k++)
        sum += guard->coef[k] * eval->at[k];
      if (sum < 0 || sum >= guard->extent)
        return FALSE;
    }
  return TRUE;
}

static TpScalar
scalar_new (gboolean is_integer, double value)
{
  if (is_integer)
    return (TpScalar){ .integer = tp_real_to_integer (value) };
  return (TpScalar){ .real = value };
}

static TpScalar
eval_load (const Eval *eval, const TpExpr *expr)
{
  const TpAccess *load = &eval->nest->loads[expr->index];
  gint64 at = eval->load_index[expr->index];
  gint64 i = load->index < 0 ? 0 : eval->value[load->index].integer;

  if (load->index >= 0)
    i += i < 0 ? load->index_extent : 0;
  if (!eval_is_inside (eval, load)
      || (load->index >= 0 && (i < 0 || i >= load->index_extent)))
    return scalar_new (expr->is_integer, load->fill);
  at += load->index_stride * i;
  return scalar_new (expr->is_integer, eval->operands[load->operand][at]);
}

static TpScalar
eval_leaf (const Eval *eval, const TpExpr *expr)
{
  if (expr->op == TP_EXPR_STAGE)
    return eval->stage[expr->index];
  if (expr->op == TP_EXPR_LOAD)
    return eval_load (eval, expr);
  if (expr->op == TP_EXPR_INSIDE)
    return (TpScalar){
      .real = eval_is_inside (eval, &eval->nest->loads[expr->index])
    };
  if (expr->is_integer)
    return (TpScalar){ .integer = expr->integer };
  return (TpScalar){ .real = expr->value };
}

static TpScalar
eval_script (Eval *eval, const Script *script)
{
  for (int k = 0; k < script->n; k++)
    {
      int i = script->exprs[k];
      const TpExpr *expr = &eval->nest->exprs[i];

      if (tp_expr_arity (expr->op) == 0)
        eval->value[i] = eval_leaf (eval, expr);
      else
        eval->value[i] = tp_expr_apply (eval->nest, i, eval->value);
    }
  return eval->value[script->root];
}

static void
axis_move (Eval *eval, int axis, gint64 steps)
{
  const TpNest *nest = eval->nest;

  eval->at[axis] += steps;
  for (int i = 0; i < nest->n_loads; i++)
    eval->load_index[i] += steps * nest->loads[i].stride[axis];
  eval->store_index += steps * nest->store.stride[axis];
}

/* The next point of the reduce or of the spatial axes; FALSE, and back at the
 * first, after the last. */
static gboolean
eval_next (Eval *eval, gboolean is_reduce)
{
  for (int i = eval->nest->n_axes - 1; i >= 0; i--)
    {
      const TpAxis *axis = &eval->nest->axes[i];

      if (axis->is_reduce != is_reduce)
        continue;
      if (eval->at[i] + 1 < axis->extent)
        {
          axis_move (eval, i, 1);
          return TRUE;
        }
      axis_move (eval, i, -eval->at[i]);
    }
  return FALSE;
}

static double
combine_reals (TpCombiner combiner, double sum, double value)
{
  switch (combiner)
    {
    case TP_COMBINE_SUM:
      return sum + value;
    case TP_COMBINE_PROD:
      return sum * value;
    case TP_COMBINE_MAX:
      return sum > value ? sum : value;
    default:
      return sum < value ? sum : value;
    }
}

static gint64
combine_integers (TpCombiner combiner, gint64 sum, gint64 value)
{
  switch (combiner)
    {
    case TP_COMBINE_SUM:
      return (gint64)((guint64)sum + (guint64)value);
    case TP_COMBINE_PROD:
      return (gint64)((guint64)sum * (guint64)value);
    case TP_COMBINE_MAX:
      return MAX (sum, value);
    default:
      return MIN (sum, value);
    }
}

static TpScalar
combiner_start (TpCombiner combiner, gboolean is_integer)
{
  static const double reals[] = { [TP_COMBINE_SUM] = 0.0,
                                  [TP_COMBINE_MAX] = -INFINITY,
                                  [TP_COMBINE_MIN] = INFINITY,
                                  [TP_COMBINE_PROD] = 1.0 };
  static const gint64 integers[] = { [TP_COMBINE_SUM] = 0,
                                     [TP_COMBINE_MAX] = G_MININT64,
                                     [TP_COMBINE_MIN] = G_MAXINT64,
                                     [TP_COMBINE_PROD] = 1 };

  if (is_integer)
    return (TpScalar){ .integer = integers[combiner] };
  return (TpScalar){ .real = reals[combiner] };
}

static TpScalar
eval_stage (Eval *eval, TpCombiner combiner, const Script *script)
{
  gboolean is_integer = eval->nest->exprs[script->root].is_integer;
  TpScalar sum = combiner_start (combiner, is_integer);

  do
    {
      TpScalar value = eval_script (eval, script);

      if (is_integer)
        sum.integer = combine_integers (combiner, sum.integer, value.integer);
      else
        sum.real = combine_reals (combiner, sum.real, value.real);
    }
  while (eval_next (eval, TRUE));
  return sum;
}

/* What memory of @dtype holds after a store; reals are not rounded. */
static double
stored_value (TpDtype dtype, TpScalar value)
{
  return tp_dtype_is_integer (dtype)
             ? (double)tp_dtype_wrap (dtype, value.integer)
             : value.real;
}

static void
eval_points (Eval *eval, const Script *scripts)
{
  const TpNest *nest = eval->nest;
  const Script *result = &scripts[nest->n_stages];
  double *out = eval->operands[nest->store.operand];
  gboolean covers_reduce = tp_nest_covers_reduce (nest);

  do
    {
      for (int i = 0; i < nest->n_stages; i++)
        eval->stage[i] =
            eval_stage (eval, nest->stages[i].combiner, &scripts[i]);
      do
        out[eval->store_index] =
            stored_value (nest->store.dtype, eval_script (eval, result));
      while (covers_reduce && eval_next (eval, TRUE));
    }
  while (eval_next (eval, FALSE));
}

static void
eval_nest (const TpNest *nest, double *const *operands, gint64 iteration)
{
  g_autofree gint64 *load_index = g_new0 (gint64, nest->n_loads + 1);
  g_autofree TpScalar *value = g_new0 (TpScalar, nest->n_exprs);
  g_autofree TpScalar *stage = g_new0 (TpScalar, nest->n_stages + 1);
  g_autofree Script *scripts = g_new0 (Script, nest->n_stages + 1);
  Eval eval = { .nest = nest,
                .operands = operands,
                .load_index = load_index,
                .store_index = nest->store.offset
                               + iteration * nest->store.step,
                .value = value,
                .stage = stage };

  for (int i = 0; i < nest->n_loads; i++)
    load_index[i] = nest->loads[i].offset + iteration * nest->loads[i].step;
  for (int i = 0; i < nest->n_stages; i++)
    scripts[i] = script_new (nest, nest->stages[i].expr);
  scripts[nest->n_stages] = script_new (nest, nest->result);
  eval_points (&eval, scripts);
  for (int i = 0; i <= nest->n_stages; i++)
    g_free (scripts[i].exprs);
}

void
tp_lowered_eval (const TpLowered *lowered, double *const *operands)
{
  for (int i = 0; i < lowered->first_repeated; i++)
    eval_nest (lowered->nests[i], operands, 0);
  for (gint64 t = 0; t < lowered->n_iterations; t++)
    for (int i = lowered->first_repeated; i < lowered->n_nests; i++)
      eval_nest (lowered->nests[i], operands, t);
}
