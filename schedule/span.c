/* span.c: numbers taken apart into positions of axes, in units of a vector, so
 * that the proof of bounds sees that no vector leaves its row. */
#include "config.h"

#include "schedule/span.h"

#include "schedule/nest-canon.h"

void
tp_span_init (TpSpan *span)
{
  *span = (TpSpan){ .extent = 1 };
}

void
tp_span_add (TpSpan *span, const TpNest *nest, int axis)
{
  span->axes[span->n++] = axis;
  span->extent *= nest->axes[axis].extent;
}

void
tp_span_sort (TpSpan *span, const gint64 *stride)
{
  for (int i = 1; i < span->n; i++)
    for (int j = i;
         j > 0 && ABS (stride[span->axes[j - 1]]) < ABS (stride[span->axes[j]]);
         j--)
      {
        int axis = span->axes[j];

        span->axes[j] = span->axes[j - 1];
        span->axes[j - 1] = axis;
      }
}

gboolean
tp_span_is_straight (const TpSpan *span, const TpNest *nest, int expr)
{
  g_autofree gboolean *used = tp_nest_find_loads_of (nest, expr);

  for (int i = 0; span->n > 0 && i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].stride[span->axes[span->n - 1]] == 1)
      return TRUE;
  return FALSE;
}

void
tp_span_set (TpEmit *emit, const TpSpan *span, TpValue unit, int width)
{
  TpKernel *k = emit->kernel;

  for (int i = span->n - 1; i >= 0; i--)
    {
      int w = i == span->n - 1 ? width : 1;
      gint64 extent = emit->nest->axes[span->axes[i]].extent;
      TpValue n = tp_k_index (k, extent / w), digit = unit;

      if (i > 0)
        {
          digit = tp_k_binary (k, TP_I_IMOD, unit, n);
          unit = tp_k_binary (k, TP_I_IDIV, unit, n);
        }
      tp_emit_set_axis (emit, span->axes[i], tp_emit_mul_const (emit, digit, w),
                        0, extent - w);
    }
}

TpSpanPlace
tp_span_place (TpEmit *emit, const TpSpan *span, TpValue unit, int width)
{
  TpSpanPlace place;

  if (span->n > 0)
    tp_span_set (emit, span,
                 tp_emit_min_const (emit, unit, span->extent / width - 1),
                 width);
  for (int i = 0; i < span->n; i++)
    place.axes[i] = emit->axes[span->axes[i]];
  return place;
}

void
tp_span_return (TpEmit *emit, const TpSpan *span, const TpSpanPlace *place)
{
  for (int i = 0; i < span->n; i++)
    emit->axes[span->axes[i]] = place->axes[i];
}

TpValue
tp_span_is_inside (TpEmit *emit, const TpSpan *span, TpValue unit, int width)
{
  return tp_k_binary (emit->kernel, TP_I_ILESS, unit,
                      tp_k_index (emit->kernel, span->extent / width));
}
