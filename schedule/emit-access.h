/* emit-access.h: accesses of a nest at the current point of a kernel. Expressions
 * need them, and they need expressions: the index of a load may be one. */
#ifndef TP_SCHEDULE_EMIT_ACCESS_H
#define TP_SCHEDULE_EMIT_ACCESS_H

#include "schedule/emit.h"

TpValue tp_emit_load (TpEmit *emit, int load);
/* Mask of the lanes in which the guards of a load hold; -1: they do in all. */
TpValue tp_emit_inside (TpEmit *emit, int load);
void tp_emit_store (TpEmit *emit, TpValue value);
/* One vector for each of the @n points from here on of an axis that vectors are woven
 * along (schedule/weave.h); @values change. */
void tp_emit_store_woven (TpEmit *emit, TpValue *values, int n);
/* @n elements of @buffer from @at on become @fill, by its lanes. */
void tp_emit_fill (TpEmit *emit, int buffer, TpValue at, gint64 n,
                   TpValue fill);
/* Address of an access at the current point. */
TpValue tp_emit_index (TpEmit *emit, const TpAccess *access);
/* Mask of the first @active lanes; -1 when all are. */
TpValue tp_emit_mask (TpEmit *emit);

#endif
