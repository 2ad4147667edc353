/* nest-eval.c: runs nests in double by plain loops: slow and right. */
#include "config.h"

#include "nest/nest-eval.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "nest/nest.h"

#include <math.h>
#include <string.h>

/* One nest being run: where it stands, and what every expression last gave. */
typedef struct
{
  const TpNest *nest;
  const TpLowered *lowered;   /* its program */
  const TpCells *operands;
  GArray *points;             /* where stores go; NULL: to the operand */
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

/* @other: another that is to be made with it; -1: none. */
static Script
script_new (const TpNest *nest, int root, int other)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);
  Script script = { root, 0, g_new (int, nest->n_exprs) };

  tp_nest_mark_used (nest, root, used);
  if (other >= 0)
    tp_nest_mark_used (nest, other, used);
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
cells_load (const TpCells *cells, gint64 at)
{
  const TpDtypeRow *row = tp_dtype_get (cells->dtype);
  double value;

  if (cells->dtype == TPLAN_DTYPE_FLOAT64)
    return ((const double *) cells->data)[at];
  tp_dtype_load_doubles (cells->dtype,
                         (const char *) cells->data + at * (gint64) row->size,
                         1, 1, &value);
  return value;
}

static TpScalar
scalar_new (gboolean is_integer, double value)
{
  if (is_integer)
    return (TpScalar){ .integer = tp_real_to_integer (value) };
  return (TpScalar){ .real = value };
}

/* What the index of @access adds to its address; FALSE: it leads outside. */
static gboolean
eval_index (const Eval *eval, const TpAccess *access, gint64 *out_share)
{
  gint64 i = access->index < 0 ? 0 : eval->value[access->index].integer;

  if (access->index >= 0 && i < 0)
    i += access->index_extent;
  *out_share = access->index_stride * i;
  return access->index < 0 || (i >= 0 && i < access->index_extent);
}

static TpScalar
eval_load (const Eval *eval, const TpExpr *expr)
{
  const TpAccess *load = &eval->nest->loads[expr->index];
  gint64 at = eval->load_index[expr->index], share;

  if (!eval_is_inside (eval, load) || !eval_index (eval, load, &share))
    return scalar_new (expr->is_integer, load->fill);
  at += share;
  if (eval->lowered->operands[load->operand].is_iota)
    return (TpScalar){ .integer = at };
  return scalar_new (expr->is_integer, cells_load (&eval->operands[load->operand], at));
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
      return value > sum ? value : sum;
    default:
      return value < sum ? value : sum;
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

/* ---- places -------------------------------------------------------------- */

typedef struct
{
  TpScalar value;
  gint64 at;
} Placed;

/* The greatest first, no number before all; of equal ones the first. */
static int
compare_placed_reals (const void *a, const void *b)
{
  const Placed *x = a, *y = b;
  double p = isnan (x->value.real) ? INFINITY : x->value.real;
  double q = isnan (y->value.real) ? INFINITY : y->value.real;

  if (p != q)
    return p > q ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

static int
compare_placed_integers (const void *a, const void *b)
{
  const Placed *x = a, *y = b;

  if (x->value.integer != y->value.integer)
    return x->value.integer > y->value.integer ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* All sorted; the one whose rank this point has. */
static TpScalar
eval_place (Eval *eval, const Script *script)
{
  const TpNest *nest = eval->nest;
  int rank = tp_nest_find_rank_axis (nest), axis = 0;
  g_autofree Placed *placed = NULL;
  gint64 n = 0;

  while (!nest->axes[axis].is_reduce)
    axis++;
  placed = tp_new (Placed, nest->axes[axis].extent);
  do
    placed[n++] = (Placed){ eval_script (eval, script), eval->at[axis] };
  while (eval_next (eval, TRUE));
  qsort (placed, n, sizeof placed[0],
         nest->exprs[script->root].is_integer ? compare_placed_integers
                                              : compare_placed_reals);
  return (TpScalar){ .integer = placed[rank < 0 ? 0 : eval->at[rank]].at };
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
store (Eval *eval, double value)
{
  const TpAccess *access = &eval->nest->store;
  gint64 share;
  TpPoint point = { access->operand, eval->store_index, value };

  if (!eval_index (eval, access, &share))
    return;
  point.index += share;

  if (eval->points != NULL)
    g_array_append_val (eval->points, point);
  else
    ((double *) eval->operands[point.operand].data)[point.index] = value;
}

static void
eval_point (Eval *eval, const Script *scripts)
{
  const TpNest *nest = eval->nest;
  const Script *result = &scripts[nest->n_stages];
  gboolean covers_reduce = tp_nest_covers_reduce (nest);

  for (int i = 0; i < nest->n_stages; i++)
    eval->stage[i] = nest->stages[i].combiner == TP_COMBINE_PLACE
                         ? eval_place (eval, &scripts[i])
                         : eval_stage (eval, nest->stages[i].combiner,
                                       &scripts[i]);
  do
    store (eval, stored_value (nest->store.dtype, eval_script (eval, result)));
  while (covers_reduce && eval_next (eval, TRUE));
}

/* To the @index-th point of the spatial axes. */
static void
eval_seek (Eval *eval, gint64 index)
{
  for (int i = eval->nest->n_axes - 1; i >= 0; i--)
    {
      const TpAxis *axis = &eval->nest->axes[i];

      if (axis->is_reduce)
        continue;
      axis_move (eval, i, index % axis->extent - eval->at[i]);
      index /= axis->extent;
    }
}

static gint64
count_points (const TpNest *nest)
{
  gint64 n = 1;

  for (int i = 0; i < nest->n_axes; i++)
    n *= nest->axes[i].is_reduce ? 1 : nest->axes[i].extent;
  return n;
}

/* One somewhere in each of @most equal parts; the ends are where tiles are cut. */
static void
sample_points (Eval *eval, const Script *scripts, gint64 most)
{
  gint64 n = count_points (eval->nest);
  guint32 random = 1;

  for (gint64 i = 0; i < most; i++)
    {
      gint64 begin = (gint64) ((double) n * i / most);
      gint64 end = MIN ((gint64) ((double) n * (i + 1) / most), n);

      random = random * 1664525u + 1013904223u;
      eval_seek (eval, i == 0          ? 0
                       : i == most - 1 ? n - 1
                                       : begin + random % MAX (end - begin, 1));
      eval_point (eval, scripts);
    }
}

/* @most: of points, 0: all of them. */
static void
run_points (Eval *eval, const Script *scripts, gint64 most)
{
  if (most > 0 && count_points (eval->nest) > most)
    sample_points (eval, scripts, most);
  else
    do
      eval_point (eval, scripts);
    while (eval_next (eval, FALSE));
}

/* @eval has the nest, operands and points. */
static void
eval_nest (Eval *eval, gint64 iteration, gint64 most)
{
  const TpNest *nest = eval->nest;
  g_autofree gint64 *load_index = tp_new0 (gint64, nest->n_loads + 1);
  g_autofree TpScalar *value = tp_new0 (TpScalar, nest->n_exprs);
  g_autofree TpScalar *stage = tp_new0 (TpScalar, nest->n_stages + 1);
  g_autofree Script *scripts = tp_new0 (Script, nest->n_stages + 1);

  eval->load_index = load_index;
  eval->store_index = nest->store.offset + iteration * nest->store.step;
  eval->value = value;
  eval->stage = stage;
  for (int i = 0; i < nest->n_loads; i++)
    load_index[i] = nest->loads[i].offset + iteration * nest->loads[i].step;
  for (int i = 0; i < nest->n_stages; i++)
    scripts[i] = script_new (nest, nest->stages[i].expr, -1);
  scripts[nest->n_stages]
      = script_new (nest, nest->result, nest->store.index);
  run_points (eval, scripts, most);
  for (int i = 0; i <= nest->n_stages; i++)
    g_free (scripts[i].exprs);
}

void
tp_lowered_eval (const TpLowered *lowered, double *const *operands)
{
  g_autofree TpCells *cells = tp_new (TpCells, lowered->n_operands + 1);

  for (int i = 0; i < lowered->n_operands; i++)
    cells[i] = (TpCells){ TPLAN_DTYPE_FLOAT64, operands[i] };
  for (gint64 t = 0; t < lowered->n_iterations; t++)
    for (int i = t == 0 ? 0 : lowered->first_repeated; i < lowered->n_nests;
         i++)
      eval_nest (&(Eval){ .nest = lowered->nests[i],
                          .lowered = lowered,
                          .operands = cells },
                 i < lowered->first_repeated ? 0 : t, 0);
}

/* ---- samples ------------------------------------------------------------- */

gboolean
tp_lowered_is_last (const TpLowered *lowered, int nest)
{
  int operand = lowered->nests[nest]->store.operand;

  for (int i = nest; i < lowered->n_nests; i++)
    for (int k = 0; k < lowered->nests[i]->n_loads; k++)
      if (lowered->nests[i]->loads[k].operand == operand)
        return FALSE;
  return TRUE;
}

double
tp_nest_count_steps (const TpNest *nest)
{
  double reduced = 1;

  for (int i = 0; i < nest->n_axes; i++)
    reduced *= nest->axes[i].is_reduce ? (double) nest->axes[i].extent : 1;
  return (nest->n_stages + (tp_nest_covers_reduce (nest) ? 1 : 0)) * reduced
             * nest->n_exprs
         + nest->n_exprs;
}

void
tp_lowered_sample (const TpLowered *lowered, const TpCells *operands,
                   gint64 most, GArray *points)
{
  g_assert (lowered->n_iterations == 1);
  for (int i = 0; i < lowered->n_nests; i++)
    {
      gboolean is_last = tp_lowered_is_last (lowered, i);
      Eval eval = { .nest = lowered->nests[i],
                    .lowered = lowered,
                    .operands = operands,
                    .points = is_last ? points : NULL };

      eval_nest (&eval, 0, is_last ? most : 0);
    }
}
