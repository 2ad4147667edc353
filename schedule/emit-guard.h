/* emit-guard.h: guards of a nest at the current point of a kernel. */
#ifndef TP_SCHEDULE_EMIT_GUARD_H
#define TP_SCHEDULE_EMIT_GUARD_H

#include "schedule/emit.h"

/* Of what the guard bounds, of all lanes. */
void tp_emit_guard_interval (const TpEmit *emit, const TpGuard *guard,
                             gint64 *out_lo, gint64 *out_hi);
/* Of all lanes, whatever the positions are within their intervals. */
gboolean tp_emit_guard_holds (const TpEmit *emit, const TpGuard *guard);
gboolean tp_emit_guard_fails (const TpEmit *emit, const TpGuard *guard);
/* What the guard bounds, of the first lane. */
TpValue tp_emit_guard_value (TpEmit *emit, const TpGuard *guard);
/* @sum + @coef * @axis without its delta; -1 is 0. */
TpValue tp_emit_add_axis (TpEmit *emit, TpValue sum, int axis, gint64 coef);

#endif
