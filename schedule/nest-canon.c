/* nest-canon.c: nests with as few axes and guards as possible, and questions
 * that schedules ask about nests. */
#include "config.h"

#include "schedule/nest-canon.h"

#include "ir/guard.h"
#include "nest/nest-expr.h"

#include <string.h>

#define MOST_EXACT 0x1p24     /* integers in float32 */

/* ---- questions --------------------------------------------------------- */

static void
mark_loads (const TpNest *nest, int root, gboolean *used)
{
  g_autofree gboolean *exprs = tp_new0 (gboolean, nest->n_exprs);

  tp_nest_mark_used (nest, root, exprs);
  for (int i = 0; i <= root; i++)
    if (exprs[i]
        && (nest->exprs[i].op == TP_EXPR_LOAD
            || nest->exprs[i].op == TP_EXPR_INSIDE))
      used[nest->exprs[i].index] = TRUE;
}

gboolean *
tp_nest_find_loads_of (const TpNest *nest, int root)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_loads + 1);

  mark_loads (nest, root, used);
  return g_steal_pointer (&used);
}

gboolean *
tp_nest_find_used_loads (const TpNest *nest)
{
  g_autofree gboolean *used = tp_new0 (gboolean, nest->n_loads + 1);

  mark_loads (nest, nest->result, used);
  if (nest->store.index >= 0)
    mark_loads (nest, nest->store.index, used);
  for (int i = 0; i < nest->n_stages; i++)
    mark_loads (nest, nest->stages[i].expr, used);
  return g_steal_pointer (&used);
}

gboolean
tp_nest_index_walks (const TpNest *nest, const TpAccess *access, int axis)
{
  g_autofree gboolean *used = NULL;

  if (access->index < 0)
    return FALSE;
  used = tp_nest_find_loads_of (nest, access->index);
  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i])
        continue;
      if (load->stride[axis] != 0)
        return TRUE;
      for (int j = 0; j < load->n_guards; j++)
        if (load->guards[j].coef[axis] != 0)
          return TRUE;
    }
  return FALSE;
}

/* Whether @load is of another operand than what is stored, or of the very element, or
 * of what its point stored there in the turn before. */
static gboolean
is_own (const TpNest *nest, const TpAccess *load)
{
  const TpAccess *store = &nest->store;

  return load->operand != store->operand
         || ((load->offset == store->offset
              || load->offset == store->offset - store->step)
             && load->step == store->step
             && load->index == store->index && load->n_guards == 0
             && load->index_stride == store->index_stride
             && load->index_extent == store->index_extent
             && memcmp (load->stride, store->stride,
                        nest->n_axes * sizeof load->stride[0]) == 0);
}

/* How an address is made up: numbers of 0..extent-1, each times a step. */
typedef struct
{
  gint64 steps[TP_NEST_MAX_AXES + 2], extents[TP_NEST_MAX_AXES + 2];
  int n;
} Digits;

/* The longer the step the later. */
static void
digits_add (Digits *digits, gint64 step, gint64 extent)
{
  int at = digits->n++;

  for (; at > 0 && digits->steps[at - 1] > ABS (step); at--)
    {
      digits->steps[at] = digits->steps[at - 1];
      digits->extents[at] = digits->extents[at - 1];
    }
  digits->steps[at] = ABS (step);
  digits->extents[at] = extent;
}

/* Whether axes, index and turns are digits of an address: the step of each is longer
 * than what all shorter ones reach together. */
static gboolean
has_digits (const TpNest *nest, gint64 n_iterations)
{
  const TpAccess *store = &nest->store;
  Digits digits = { .n = 0 };
  __int128 reached = 0;

  if (store->index >= 0)
    digits_add (&digits, store->index_stride, store->index_extent);
  if (store->step != 0)
    digits_add (&digits, store->step, n_iterations + 1);
  for (int i = 0; i < nest->n_axes; i++)
    digits_add (&digits, store->stride[i], nest->axes[i].extent);
  for (int i = 0; i < digits.n; i++)
    {
      if (digits.extents[i] > 1 && digits.steps[i] <= reached)
        return FALSE;
      reached += (__int128) digits.steps[i] * (digits.extents[i] - 1);
    }
  return TRUE;
}

gboolean
tp_nest_is_apart (const TpNest *nest, gint64 n_iterations)
{
  gboolean is_apart = nest->n_stages == 0;

  for (int i = 0; i < nest->n_loads && is_apart; i++)
    is_apart = is_own (nest, &nest->loads[i]);
  return is_apart && has_digits (nest, n_iterations);
}

gboolean
tp_nest_covers_all_or_none (const TpNest *nest)
{
  gboolean is_covering = tp_nest_covers_reduce (nest);

  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce && (nest->store.stride[i] != 0) != is_covering)
      return FALSE;
  return TRUE;
}

static gboolean
guards_walk (const TpAccess *access, int axis)
{
  for (int j = 0; j < access->n_guards; j++)
    if (access->guards[j].coef[axis] != 0)
      return TRUE;
  return FALSE;
}

gboolean
tp_nest_is_plain_along (const TpNest *nest, const TpAccess *access, int axis)
{
  return !guards_walk (access, axis)
         && !tp_nest_index_walks (nest, access, axis);
}

void
tp_nest_keep_stages (TpNest *nest, int n)
{
  nest->n_stages = n;
  for (int i = 0; i < nest->n_exprs; i++)
    {
      TpExpr *e = &nest->exprs[i];

      if (e->op == TP_EXPR_STAGE && e->index >= n)
        *e = (TpExpr){ .op = TP_EXPR_CONST, .a = -1, .b = -1, .c = -1,
                       .is_integer = e->is_integer,
                       .is_double = e->is_double };
    }
}

gboolean
tp_nest_is_same_guard (const TpNest *nest, const TpGuard *a, const TpGuard *b)
{
  return a->offset == b->offset && a->extent == b->extent
         && memcmp (a->coef, b->coef, nest->n_axes * sizeof (gint64)) == 0;
}

static gboolean
guards_equal (const TpNest *nest, const TpAccess *a, const TpAccess *b)
{
  if (a->n_guards != b->n_guards)
    return FALSE;
  for (int i = 0; i < a->n_guards; i++)
    if (!tp_nest_is_same_guard (nest, &a->guards[i], &b->guards[i]))
      return FALSE;
  return TRUE;
}

/* A constant that may be unknown. */
typedef struct
{
  gboolean is_known;
  double value;
} Known;

static Known
fold (const TpExpr *expr, const Known *values)
{
  int arity = tp_expr_arity (expr->op);
  Known a = arity > 0 ? values[expr->a] : (Known) { FALSE, 0.0 };
  Known b = arity > 1 ? values[expr->b] : (Known) { TRUE, 0.0 };
  double x = a.value, y = b.value;

  if (expr->op == TP_EXPR_MUL
      && ((a.is_known && x == 0.0) || (b.is_known && y == 0.0)))
    return (Known) { TRUE, 0.0 };
  if (expr->op == TP_EXPR_SELECT && a.is_known)
    return x != 0.0 ? b : values[expr->c];
  if (!a.is_known || !b.is_known)
    return (Known) { FALSE, 0.0 };
  switch (expr->op)
    {
    case TP_EXPR_ADD:
      return (Known) { TRUE, x + y };
    case TP_EXPR_SUB:
      return (Known) { TRUE, x - y };
    case TP_EXPR_MUL:
      return (Known) { TRUE, x * y };
    case TP_EXPR_MIN:
      return (Known) { TRUE, x < y ? x : y };
    case TP_EXPR_MAX:
      return (Known) { TRUE, x > y ? x : y };
    case TP_EXPR_TO_REAL:
      return (Known) { TRUE, x };
    case TP_EXPR_NEG:
      return (Known) { TRUE, -x };
    case TP_EXPR_ABS:
      return (Known) { TRUE, ABS (x) };
    default:
      return (Known) { FALSE, 0.0 };
    }
}

gboolean
tp_nest_find_outside (const TpNest *nest, int expr, double *out_value)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);
  g_autofree Known *values = tp_new0 (Known, nest->n_exprs);
  const TpAccess *guarded = NULL;

  for (int i = 0; i < nest->n_loads; i++)
    {
      const TpAccess *load = &nest->loads[i];

      if (!used[i] || load->n_guards == 0)
        continue;
      if (guarded != NULL && !guards_equal (nest, guarded, load))
        return FALSE;
      guarded = load;
    }
  for (int i = 0; i <= expr; i++)
    {
      const TpExpr *e = &nest->exprs[i];
      const TpAccess *load = &nest->loads[e->index];

      if (e->op == TP_EXPR_CONST)
        values[i] = (Known) { TRUE, e->is_integer ? (double) e->integer
                                                  : e->value };
      else if (e->op == TP_EXPR_LOAD && load->n_guards > 0)
        values[i] = (Known) { TRUE, load->fill };
      else if (e->op == TP_EXPR_INSIDE)
        values[i] = (Known) { TRUE, load->n_guards > 0 ? 0.0 : 1.0 };
      else if (tp_expr_arity (e->op) > 0)
        values[i] = fold (e, values);
      if (e->is_integer && !(ABS (values[i].value) < MOST_EXACT))
        values[i].is_known = FALSE;
    }
  *out_value = values[expr].value;
  return guarded != NULL && values[expr].is_known;
}

/* ---- canonical form ---------------------------------------------------- */

/* All that has strides: loads, store and guards, for a loop over them. */
typedef void (*StrideFunc) (gint64 *stride, int axis, int other, void *data);

static void
for_each_stride (TpNest *nest, int axis, int other, StrideFunc func, void *data)
{
  for (int i = -1; i < nest->n_loads; i++)
    {
      TpAccess *access = i < 0 ? &nest->store : &nest->loads[i];

      func (access->stride, axis, other, data);
      for (int j = 0; j < access->n_guards; j++)
        func (access->guards[j].coef, axis, other, data);
    }
}

static void
close_gap (gint64 *stride, int axis, int other, void *data)
{
  memmove (&stride[axis], &stride[axis + 1],
           (TP_NEST_MAX_AXES - 1 - axis) * sizeof *stride);
  stride[TP_NEST_MAX_AXES - 1] = 0;
}

static void
remove_axis (TpNest *nest, int axis)
{
  for_each_stride (nest, axis, -1, close_gap, NULL);
  memmove (&nest->axes[axis], &nest->axes[axis + 1],
           (nest->n_axes - 1 - axis) * sizeof nest->axes[0]);
  nest->n_axes--;
}

typedef struct
{
  gint64 extent;              /* of the inner axis */
  gboolean is_mergeable;
} MergeTest;

static void
test_mergeable (gint64 *stride, int axis, int other, void *data)
{
  MergeTest *test = data;

  if (stride[axis] != stride[other] * test->extent)
    test->is_mergeable = FALSE;
}

/* Is @outer a continuation of @inner everywhere? */
static gboolean
is_mergeable (TpNest *nest, int outer, int inner)
{
  MergeTest test = { nest->axes[inner].extent, TRUE };

  if (nest->axes[outer].is_reduce != nest->axes[inner].is_reduce
      || nest->axes[outer].is_rank || nest->axes[inner].is_rank)
    return FALSE;
  for_each_stride (nest, outer, inner, test_mergeable, &test);
  return test.is_mergeable;
}

static gboolean
merge_one_pair (TpNest *nest)
{
  for (int outer = 0; outer < nest->n_axes; outer++)
    for (int inner = 0; inner < nest->n_axes; inner++)
      if (outer != inner && is_mergeable (nest, outer, inner))
        {
          nest->axes[inner].extent *= nest->axes[outer].extent;
          remove_axis (nest, outer);
          return TRUE;
        }
  return FALSE;
}

static gboolean
guard_always_holds (const TpNest *nest, const TpGuard *guard)
{
  gint64 lo = guard->offset, hi = guard->offset;

  for (int i = 0; i < nest->n_axes; i++)
    {
      gint64 last = guard->coef[i] * (nest->axes[i].extent - 1);

      lo += MIN (last, 0);
      hi += MAX (last, 0);
    }
  return lo >= 0 && hi < guard->extent;
}

static void
drop_guards (const TpNest *nest, TpAccess *access)
{
  int n = 0;

  for (int i = 0; i < access->n_guards; i++)
    if (!guard_always_holds (nest, &access->guards[i]))
      access->guards[n++] = access->guards[i];
  access->n_guards = n;
}

static gboolean
has_reduce_axis (const TpNest *nest)
{
  for (int i = 0; i < nest->n_axes; i++)
    if (nest->axes[i].is_reduce)
      return TRUE;
  return FALSE;
}

/* Without reduce axes a stage is its expression, and a place the first. */
static void
inline_stages (TpNest *nest)
{
  g_autofree int *other = tp_new (int, nest->n_exprs);
  gboolean is_place = tp_nest_ranks (nest);

  for (int i = 0; i < nest->n_exprs; i++)
    {
      TpExpr *expr = &nest->exprs[i];
      int arity = tp_expr_arity (expr->op);

      if (arity > 0)
        expr->a = other[expr->a];
      if (arity > 1)
        expr->b = other[expr->b];
      if (arity > 2)
        expr->c = other[expr->c];
      other[i] = i;
      if (expr->op == TP_EXPR_STAGE && is_place)
        *expr = (TpExpr) { .op = TP_EXPR_CONST, .a = -1, .b = -1, .c = -1,
                           .is_integer = TRUE };
      else if (expr->op == TP_EXPR_STAGE)
        other[i] = other[nest->stages[expr->index].expr];
    }
  nest->result = other[nest->result];
  nest->n_stages = 0;
}

/* Loads nobody uses must not keep axes apart. */
static void
clear_unused_loads (TpNest *nest)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (!used[i])
      {
        memset (nest->loads[i].stride, 0, sizeof nest->loads[i].stride);
        nest->loads[i].n_guards = 0;
      }
}

TpNest *
tp_nest_canonicalize (const TpNest *nest)
{
  g_autoptr (TpNest) canonical = tp_nest_copy (nest);

  for (int i = canonical->n_axes; i < TP_NEST_MAX_AXES; i++)
    canonical->axes[i] = (TpAxis) { 1, FALSE, FALSE };
  for (int i = canonical->n_axes - 1; i >= 0; i--)
    if (canonical->axes[i].extent == 1)
      remove_axis (canonical, i);
  if (canonical->n_stages > 0 && !has_reduce_axis (canonical))
    inline_stages (canonical);
  clear_unused_loads (canonical);
  for (int i = 0; i < canonical->n_loads; i++)
    drop_guards (canonical, &canonical->loads[i]);
  while (merge_one_pair (canonical))
    ;
  return g_steal_pointer (&canonical);
}

/* ---- splitting --------------------------------------------------------- */

static void
split_stride (gint64 *stride, int axis, int other, void *data)
{
  const gint64 *extent = data;

  stride[other] = stride[axis] * *extent;
}

int
tp_nest_split_axis (TpNest *nest, int axis, gint64 extent)
{
  int outer = nest->n_axes;

  if (outer == TP_NEST_MAX_AXES)
    return -1;
  g_assert (nest->axes[axis].extent % extent == 0);
  nest->axes[outer] = nest->axes[axis];
  nest->axes[outer].extent /= extent;
  nest->axes[axis].extent = extent;
  nest->n_axes++;
  for_each_stride (nest, axis, outer, split_stride, &extent);
  return outer;
}
