/* tiles-place.c: numbers of rows, columns and points of K taken apart into
 * positions of axes, in units of a vector, so that the proof of bounds sees
 * that no vector leaves its row. */
#include "config.h"

#include "schedule/tiles-place.h"

/* The step is the same for all items, so that what is taken apart here is
 * computed once per group. */
static void
set_straight (const TpTilePlan *plan, TpEmit *emit, TpValue step, TpValue unit,
              int width)
{
  const TpSpan *span = &plan->t->k;
  TpSpan outer = *span;
  TpKernel *k = emit->kernel;
  int axis = span->axes[--outer.n];
  gint64 extent = emit->nest->axes[axis].extent;
  TpValue n = tp_k_index (k, extent / plan->depth);

  if (outer.n > 0)
    {
      tp_span_set (emit, &outer, tp_k_binary (k, TP_I_IDIV, step, n), 1);
      step = tp_k_binary (k, TP_I_IMOD, step, n);
    }
  unit = tp_emit_add (emit, tp_emit_mul_const (emit, step, plan->depth / width),
                      unit);
  tp_emit_set_axis (emit, axis, tp_emit_mul_const (emit, unit, width), 0,
                    extent - width);
}

TpValue
tp_tile_plan_set_k (const TpTilePlan *plan, TpEmit *emit, TpValue step,
                    TpValue unit, int width)
{
  const TpSpan *span = &plan->t->k;
  TpValue at;

  if (plan->is_straight)
    {
      set_straight (plan, emit, step, unit, width);
      return -1;
    }
  at = tp_emit_add (emit, tp_emit_mul_const (emit, step, plan->depth / width),
                    unit);
  if (span->extent % plan->depth == 0)
    {
      tp_span_set (emit, span, at, width);
      return -1;
    }
  tp_span_place (emit, span, at, width);
  return tp_span_is_inside (emit, span, at, width);
}
