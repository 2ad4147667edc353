/* span.h: axes of a nest taken as the digits of one number, so that many axes
 * are shared out to work-items as one. */
#ifndef TP_SCHEDULE_SPAN_H
#define TP_SCHEDULE_SPAN_H

#include "schedule/emit.h"

typedef struct
{
  int n, axes[TP_NEST_MAX_AXES]; /* the last runs fastest */
  gint64 extent;
} TpSpan;

void tp_span_init (TpSpan *span);
void tp_span_add (TpSpan *span, const TpNest *nest, int axis);
/* Last the axis along which @stride is least. */
void tp_span_sort (TpSpan *span, const gint64 *stride);
/* Is some load of @expr contiguous along the last axis? */
gboolean tp_span_is_straight (const TpSpan *span, const TpNest *nest, int expr);

/* Positions of the axes of a span, to return to. */
typedef struct
{
  TpPosition axes[TP_NEST_MAX_AXES];
} TpSpanPlace;

/* Puts the axes of @span at @unit * @width of the points it counts; the last
 * axis holds a multiple of @width of them. */
void tp_span_set (TpEmit *emit, const TpSpan *span, TpValue unit, int width);
/* The same, where @unit may lie behind the end: the last is taken instead. */
TpSpanPlace tp_span_place (TpEmit *emit, const TpSpan *span, TpValue unit,
                           int width);
void tp_span_return (TpEmit *emit, const TpSpan *span,
                     const TpSpanPlace *place);
/* Is @unit before the end? Asked only of sides that blocks do not divide. */
TpValue tp_span_is_inside (TpEmit *emit, const TpSpan *span, TpValue unit,
                           int width);
#endif
