/* nest-check.c: are nests well formed?
 *
 * That is linear in the size of the nest; nothing is enumerated. An index is
 * bounded by interval arithmetic after taking multiples of its guards out of
 * it: with 0 <= g < n, an index k * g + rest lies in k * [0, n) + rest. */
#include "config.h"

#include "nest/nest-check.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"
#include "nest/nest.h"

#include <string.h>

typedef struct
{
  __int128 low, high; /* inclusive */
} Interval;

static Interval
affine_interval (const TpNest *nest, const gint64 *stride, gint64 offset)
{
  Interval sum = { offset, offset };

  for (int i = 0; i < nest->n_axes; i++)
    {
      __int128 last = (__int128)stride[i] * (nest->axes[i].extent - 1);

      if (last < 0)
        sum.low += last;
      else
        sum.high += last;
    }
  return sum;
}

/* The multiple of @guard whose removal from @stride leaves the narrowest rest:
 * one of the quotients at the guard's axes, or 0. */
static gint64
guard_best_factor (const TpNest *nest, const TpGuard *guard,
                   const gint64 *stride)
{
  gint64 best = 0;
  Interval bound = affine_interval (nest, stride, 0);
  __int128 best_width = bound.high - bound.low;

  for (int i = 0; i < nest->n_axes; i++)
    {
      gint64 rest[TP_NEST_MAX_AXES];
      gint64 factor;
      __int128 width;

      if (guard->coef[i] == 0 || stride[i] % guard->coef[i] != 0)
        continue;
      factor = stride[i] / guard->coef[i];
      for (int k = 0; k < nest->n_axes; k++)
        rest[k] = stride[k] - factor * guard->coef[k];
      bound = affine_interval (nest, rest, 0);
      width = bound.high - bound.low;
      if (width < best_width)
        {
          best = factor;
          best_width = width;
        }
    }
  return best;
}

static Interval
access_interval (const TpNest *nest, const TpAccess *access)
{
  gint64 stride[TP_NEST_MAX_AXES];
  gint64 offset = access->offset;
  Interval sum = { 0, 0 };
  Interval rest;

  memcpy (stride, access->stride, sizeof stride);
  for (int i = 0; i < access->n_guards; i++)
    {
      const TpGuard *guard = &access->guards[i];
      gint64 factor = guard_best_factor (nest, guard, stride);
      Interval own = affine_interval (nest, guard->coef, guard->offset);
      __int128 low = MAX (own.low, 0);
      __int128 high = MIN (own.high, guard->extent - 1);

      if (low > high) /* never holds: nothing is read */
        return (Interval){ 0, 0 };
      sum.low += factor > 0 ? factor * low : factor * high;
      sum.high += factor > 0 ? factor * high : factor * low;
      offset -= factor * guard->offset;
      for (int k = 0; k < nest->n_axes; k++)
        stride[k] -= factor * guard->coef[k];
    }
  rest = affine_interval (nest, stride, offset);
  return (Interval){ sum.low + rest.low, sum.high + rest.high };
}

static gboolean G_GNUC_PRINTF (2, 3)
    check_fail (GError **error, const char *format, ...)
{
  va_list args;
  g_autofree char *what = NULL;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED, "loop nest: %s", what);
  return FALSE;
}

/* Adds @stride times 0..@n-1. */
static void
interval_stretch (Interval *bound, gint64 stride, gint64 n)
{
  __int128 last = (__int128)stride * (n - 1);

  if (last < 0)
    bound->low += last;
  else
    bound->high += last;
}

static gboolean
check_index (const TpNest *nest, const TpAccess *access, GError **error)
{
  if (access->index >= nest->n_exprs || !nest->exprs[access->index].is_integer)
    return check_fail (error, "an access has expression %d as its index",
                       access->index);
  if (access->index_extent < 1)
    return check_fail (error, "an access has %" G_GINT64_FORMAT " indices",
                       access->index_extent);
  return TRUE;
}

static gboolean
check_access (const TpLowered *lowered, const TpNest *nest,
              const TpAccess *access, gint64 n_iterations, GError **error)
{
  Interval bound;
  gint64 n = 0;

  if (access->operand < 0 || access->operand >= lowered->n_operands)
    return check_fail (error, "operand %d of %d", access->operand,
                       lowered->n_operands);
  if (access->n_guards < 0 || access->n_guards > TP_NEST_MAX_GUARDS)
    return check_fail (error, "%d guards, at most %d", access->n_guards,
                       TP_NEST_MAX_GUARDS);
  if (access->index >= 0 && !check_index (nest, access, error))
    return FALSE;
  if (access->dtype != lowered->operands[access->operand].dtype)
    return check_fail (
        error, "operand %d is %s, reached as %s", access->operand,
        tp_dtype_get_name (lowered->operands[access->operand].dtype),
        tp_dtype_get_name (access->dtype));
  n = lowered->operands[access->operand].n_elements;
  bound = access_interval (nest, access);
  interval_stretch (&bound, access->step, n_iterations);
  if (access->index >= 0)
    interval_stretch (&bound, access->index_stride, access->index_extent);
  if (bound.low < 0 || bound.high >= n)
    return check_fail (
        error,
        "operand %d is reached at %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT
        " of %" G_GINT64_FORMAT " elements",
        access->operand, (gint64)CLAMP (bound.low, G_MININT64, G_MAXINT64),
        (gint64)CLAMP (bound.high, G_MININT64, G_MAXINT64), n);
  return TRUE;
}

static gboolean
check_expr (const TpNest *nest, int i, GError **error)
{
  const TpExpr *expr = &nest->exprs[i];
  gboolean is_load = expr->op == TP_EXPR_LOAD || expr->op == TP_EXPR_INSIDE;
  int parts[3];
  int n = 0;

  if (expr->op >= TP_N_EXPR_OPS)
    return check_fail (error, "expression %d has no operation", i);
  if (is_load && (expr->index < 0 || expr->index >= nest->n_loads))
    return check_fail (error, "expression %d uses load %d of %d", i,
                       expr->index, nest->n_loads);
  n = tp_nest_get_parts (nest, i, parts);
  for (int k = 0; k < n; k++)
    if (parts[k] < 0 || parts[k] >= i)
      return check_fail (error, "expression %d uses %d", i, parts[k]);
  if (expr->op == TP_EXPR_LOAD
      && !tp_expr_is_of_dtype (expr, nest->loads[expr->index].dtype))
    return check_fail (error, "expression %d is not of the class of load %d", i,
                       expr->index);
  if (expr->op == TP_EXPR_STAGE
      && (expr->index < 0 || expr->index >= nest->n_stages))
    return check_fail (error, "expression %d uses stage %d of %d", i,
                       expr->index, nest->n_stages);
  return TRUE;
}

/* No stage is used before it is computed. */
static gboolean
check_stage_order (const TpNest *nest, int stage, GError **error)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);
  int expr = nest->stages[stage].expr;

  if (expr < 0 || expr >= nest->n_exprs)
    return check_fail (error, "stage %d is expression %d of %d", stage, expr,
                       nest->n_exprs);
  tp_nest_mark_used (nest, expr, used);
  for (int i = 0; i < nest->n_exprs; i++)
    if (used[i] && nest->exprs[i].op == TP_EXPR_STAGE
        && nest->exprs[i].index >= stage)
      return check_fail (error, "stage %d uses stage %d", stage,
                         nest->exprs[i].index);
  return TRUE;
}

/* What a load adds to its address must not wait for a reduction. */
static gboolean
check_index_stages (const TpNest *nest, GError **error)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);

  for (int i = 0; i < nest->n_loads; i++)
    if (nest->loads[i].index >= 0)
      tp_nest_mark_used (nest, nest->loads[i].index, used);
  for (int i = 0; i < nest->n_exprs; i++)
    if (used[i] && nest->exprs[i].op == TP_EXPR_STAGE)
      return check_fail (error, "a load has an index that uses stage %d",
                         nest->exprs[i].index);
  return TRUE;
}

static gboolean
check_axes (const TpNest *nest, GError **error)
{
  if (nest->n_axes < 0 || nest->n_axes > TP_NEST_MAX_AXES)
    return check_fail (error, "%d axes, at most %d", nest->n_axes,
                       TP_NEST_MAX_AXES);
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].extent < 1)
      return check_fail (error, "axis %d has extent %" G_GINT64_FORMAT, i,
                         nest->axes[i].extent);
  return TRUE;
}

/* One rank axis at most, no longer than the one reduce axis, which no load of the
 * stage walks. */
static gboolean
check_ranks (const TpNest *nest, GError **error)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_exprs);
  int rank = tp_nest_find_rank_axis (nest), n_reduce = 0, n_rank = 0;
  gint64 n = 0;

  for (int i = 0; i < nest->n_axes; i++)
    {
      n_rank += nest->axes[i].is_rank;
      n_reduce += nest->axes[i].is_reduce;
      n = nest->axes[i].is_reduce ? nest->axes[i].extent : n;
    }
  if (!tp_nest_ranks (nest))
    return n_rank == 0 || check_fail (error, "ranks of nothing");
  if (nest->n_stages != 1 || n_reduce != 1 || n_rank > 1
      || tp_nest_covers_reduce (nest)
      || (rank >= 0 && (nest->axes[rank].is_reduce || nest->axes[rank].extent > n)))
    return check_fail (error,
                       "%d ranks among %" G_GINT64_FORMAT
                       " elements along %d axes, by %d stages",
                       n_rank, n, n_reduce, nest->n_stages);
  tp_nest_mark_used (nest, nest->stages[0].expr, used);
  for (int i = 0; i < nest->n_exprs; i++)
    if (used[i] && rank >= 0
        && (nest->exprs[i].op == TP_EXPR_LOAD
            || nest->exprs[i].op == TP_EXPR_INSIDE)
        && nest->loads[nest->exprs[i].index].stride[rank] != 0)
      return check_fail (error, "load %d has the rank of what it is to rank",
                         nest->exprs[i].index);
  return TRUE;
}

static gboolean
check_nest (const TpLowered *lowered, const TpNest *nest, gint64 n_iterations,
            GError **error)
{
  if (!check_axes (nest, error))
    return FALSE;
  for (int i = 0; i < nest->n_loads; i++)
    if (!check_access (lowered, nest, &nest->loads[i], n_iterations, error))
      return FALSE;
  for (int i = 0; i < nest->n_exprs; i++)
    if (!check_expr (nest, i, error))
      return FALSE;
  for (int i = 0; i < nest->n_stages; i++)
    if (!check_stage_order (nest, i, error))
      return FALSE;
  if (nest->result < 0 || nest->result >= nest->n_exprs)
    return check_fail (error, "result is expression %d of %d", nest->result,
                       nest->n_exprs);
  if (nest->store.n_guards != 0)
    return check_fail (error, "the store has guards");
  if (nest->store.index >= 0 && nest->n_stages > 0)
    return check_fail (error, "the store has an index, the nest stages");
  return check_index_stages (nest, error) && check_ranks (nest, error)
         && tp_nest_check_classes (nest, error)
         && check_access (lowered, nest, &nest->store, n_iterations, error);
}

gboolean
tp_lowered_check (const TpLowered *lowered, GError **error)
{
  if (lowered->n_iterations < 1 || lowered->first_repeated < 0
      || lowered->first_repeated > lowered->n_nests)
    return check_fail (error,
                       "%" G_GINT64_FORMAT " iterations from nest %d of %d on",
                       lowered->n_iterations, lowered->first_repeated,
                       lowered->n_nests);
  for (int i = 0; i < lowered->n_nests; i++)
    if (!check_nest (lowered, lowered->nests[i],
                     i < lowered->first_repeated ? 1 : lowered->n_iterations,
                     error))
      return FALSE;
  return TRUE;
}
