/* emit-guard.c: guards at the current point of a nest. Each axis has a position known
 * by its interval, so that guards which cannot fail cost nothing. */
#include "config.h"

#include "schedule/emit-guard.h"

TpValue
tp_emit_add_axis (TpEmit *emit, TpValue sum, int axis, gint64 coef)
{
  TpValue pos = emit->axes[axis].pos;

  if (coef == 0 || pos < 0)
    return sum;
  return tp_emit_add (emit, sum, tp_emit_mul_const (emit, pos, coef));
}

void
tp_emit_guard_interval (const TpEmit *emit, const TpGuard *guard,
                        gint64 *out_lo, gint64 *out_hi)
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

  tp_emit_guard_interval (emit, guard, &lo, &hi);
  return lo >= 0 && hi < guard->extent;
}

gboolean
tp_emit_guard_fails (const TpEmit *emit, const TpGuard *guard)
{
  gint64 lo, hi;

  tp_emit_guard_interval (emit, guard, &lo, &hi);
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
