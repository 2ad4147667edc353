/* nest-eval.c: runs nests in double by plain loops: slow and right. */
#include "config.h"

#include "ir/nest.h"

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
  double *value; /* per expression */
  double *stage; /* per stage */
} Eval;

/* Expressions to run for one root, in order. */
typedef struct
{
  int n;
  int *exprs;
} Script;

static Script
script_new (const TpNest *nest, int root)
{
  g_autofree gboolean *used = g_new0 (gboolean, nest->n_exprs);
  Script script = { 0, g_new (int, nest->n_exprs) };

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

static double
eval_leaf (const Eval *eval, const TpExpr *expr)
{
  const TpAccess *load = NULL;

  if (expr->op == TP_EXPR_CONST)
    return expr->value;
  if (expr->op == TP_EXPR_STAGE)
    return eval->stage[expr->index];
  load = &eval->nest->loads[expr->index];
  if (expr->op == TP_EXPR_INSIDE)
    return eval_is_inside (eval, load);
  if (!eval_is_inside (eval, load))
    return load->fill;
  return eval->operands[load->operand][eval->load_index[expr->index]];
}

double
tp_expr_apply (TpExprOp op, double a, double b, double c)
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
    case TP_EXPR_MIN:
      return a < b ? a : b;
    case TP_EXPR_MAX:
      return a > b ? a : b;
    case TP_EXPR_POW:
      return pow (a, b);
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
    case TP_EXPR_SQRT:
      return sqrt (a);
    case TP_EXPR_FLOOR:
      return floor (a);
    case TP_EXPR_LESS:
      return a < b;
    case TP_EXPR_EQUAL:
      return a == b;
    case TP_EXPR_SELECT:
      return a != 0.0 ? b : c;
    default:
      g_assert_not_reached ();
    }
}

static double
eval_script (Eval *eval, const Script *script)
{
  double *value = eval->value;
  double last = 0.0;

  for (int k = 0; k < script->n; k++)
    {
      int i = script->exprs[k];
      const TpExpr *expr = &eval->nest->exprs[i];
      int arity = tp_expr_arity (expr->op);

      if (arity == 0)
        last = eval_leaf (eval, expr);
      else
        last = tp_expr_apply (expr->op, value[expr->a],
                              arity > 1 ? value[expr->b] : 0.0,
                              arity > 2 ? value[expr->c] : 0.0);
      value[i] = last;
    }
  return last;
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
combine (TpCombiner combiner, double sum, double value)
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

static double
eval_stage (Eval *eval, TpCombiner combiner, const Script *script)
{
  static const double initial[] = { [TP_COMBINE_SUM] = 0.0,
                                    [TP_COMBINE_MAX] = -INFINITY,
                                    [TP_COMBINE_MIN] = INFINITY,
                                    [TP_COMBINE_PROD] = 1.0 };
  double sum = initial[combiner];

  do
    sum = combine (combiner, sum, eval_script (eval, script));
  while (eval_next (eval, TRUE));
  return sum;
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
        out[eval->store_index] = eval_script (eval, result);
      while (covers_reduce && eval_next (eval, TRUE));
    }
  while (eval_next (eval, FALSE));
}

static void
eval_nest (const TpNest *nest, double *const *operands)
{
  g_autofree gint64 *load_index = g_new0 (gint64, nest->n_loads + 1);
  g_autofree double *value = g_new0 (double, nest->n_exprs);
  g_autofree double *stage = g_new0 (double, nest->n_stages + 1);
  g_autofree Script *scripts = g_new0 (Script, nest->n_stages + 1);
  Eval eval = { .nest = nest,
                .operands = operands,
                .load_index = load_index,
                .store_index = nest->store.offset,
                .value = value,
                .stage = stage };

  for (int i = 0; i < nest->n_loads; i++)
    load_index[i] = nest->loads[i].offset;
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
  for (int i = 0; i < lowered->n_nests; i++)
    eval_nest (lowered->nests[i], operands);
}
