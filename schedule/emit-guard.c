/* emit-guard.c: guards at the current point of a nest. Each axis has a position known
 * by its interval, so that guards which cannot fail cost nothing. */
#include "config.h"

#include "schedule/emit-guard.h"

#include "schedule/nest-canon.h"

TpValue
tp_emit_add_axis (TpEmit *emit, TpValue sum, int axis, gint64 coef)
{
  TpValue pos = emit->axes[axis].pos;

  if (coef == 0 || pos < 0)
    return sum;
  return tp_emit_add (emit, sum, tp_emit_mul_const (emit, pos, coef));
}

/* The interval of a guard's expression at the current point, all lanes. */
static void
guard_interval (const TpEmit *emit, const TpGuard *guard, gint64 *out_lo,
                gint64 *out_hi)
{
  gint64 lo = guard->offset, hi = guard->offset;

  for (int i = 0; i < emit->nest->n_axes; i++)
    {
      const TpPosition *axis = &emit->axes[i];
      gint64 coef = guard->coef[i];
      gint64 first = coef * (axis->lo + axis->delta);
      gint64 last = axis->hi + axis->delta;

      if (i == emit->vaxis)
        last += emit->active - 1;
      last *= coef;
      lo += MIN (first, last);
      hi += MAX (first, last);
    }
  *out_lo = lo;
  *out_hi = hi;
}

gboolean
tp_emit_guard_holds (const TpEmit *emit, const TpGuard *guard)
{
  gint64 lo, hi;

  guard_interval (emit, guard, &lo, &hi);
  return lo >= 0 && hi < guard->extent;
}

gboolean
tp_emit_guard_fails (const TpEmit *emit, const TpGuard *guard)
{
  gint64 lo, hi;

  guard_interval (emit, guard, &lo, &hi);
  return hi < 0 || lo >= guard->extent;
}

TpValue
tp_emit_guard_value (TpEmit *emit, const TpGuard *guard)
{
  TpValue sum = -1;
  gint64 rest = guard->offset;

  for (int i = 0; i < emit->nest->n_axes; i++)
    {
      sum = tp_emit_add_axis (emit, sum, i, guard->coef[i]);
      rest += guard->coef[i] * emit->axes[i].delta;
    }
  return tp_emit_add_const (emit, sum, rest);
}

/* ---- accesses ------------------------------------------------------------ */

static gboolean
is_held (const TpEmit *emit, const TpGuard *guard)
{
  for (int i = 0; i < emit->n_held; i++)
    if (tp_nest_is_same_guard (emit->nest, emit->held[i], guard))
      return TRUE;
  return tp_emit_guard_holds (emit, guard);
}

/* The guard's expression, of each of @lanes. */
static TpValue
emit_guard_lanes (TpEmit *emit, const TpGuard *guard, int lanes)
{
  TpKernel *k = emit->kernel;
  TpValue value = tp_k_splat (k, tp_emit_guard_value (emit, guard), lanes);
  TpValue lane;

  if (lanes == 1 || guard->coef[emit->vaxis] == 0)
    return value;
  lane = tp_k_unary (k, TP_I_I32_TO_INDEX, tp_k_iota (k, lanes));
  lane = tp_k_binary (k, TP_I_IMUL, lane,
                      tp_emit_integer (emit, guard->coef[emit->vaxis], lanes));
  return tp_k_binary (k, TP_I_IADD, value, lane);
}

/* @all, and @a < @b. */
static TpValue
add_condition (TpKernel *k, TpValue all, TpValue a, TpValue b)
{
  TpValue mask = tp_k_binary (k, TP_I_ILESS, a, b);

  return all < 0 ? mask : tp_k_binary (k, TP_I_MAND, all, mask);
}

TpValue
tp_emit_condition (TpEmit *emit, const TpAccess *access, int lanes)
{
  TpKernel *k = emit->kernel;
  TpValue all = -1;

  for (int i = 0; i < access->n_guards; i++)
    {
      const TpGuard *guard = &access->guards[i];
      gint64 lo, hi;
      TpValue value;

      if (is_held (emit, guard))
        continue;
      guard_interval (emit, guard, &lo, &hi);
      value = emit_guard_lanes (emit, guard, lanes);
      if (lo < 0)
        all = add_condition (k, all, tp_emit_integer (emit, -1, lanes), value);
      if (hi >= guard->extent)
        all = add_condition (k, all, value,
                             tp_emit_integer (emit, guard->extent, lanes));
    }
  return all;
}

gboolean
tp_emit_lanes_differ (const TpEmit *emit, const TpAccess *access)
{
  for (int i = 0; i < access->n_guards && emit->lanes > 1; i++)
    if (access->guards[i].coef[emit->vaxis] != 0
        && !is_held (emit, &access->guards[i]))
      return TRUE;
  return FALSE;
}
