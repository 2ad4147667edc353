/* emit-guard.h: guards of a nest at the current point of a kernel. */
#ifndef TP_SCHEDULE_EMIT_GUARD_H
#define TP_SCHEDULE_EMIT_GUARD_H

#include "schedule/emit.h"

/* Of all lanes, whatever the positions are within their intervals. */
gboolean tp_emit_guard_holds (const TpEmit *emit, const TpGuard *guard);
gboolean tp_emit_guard_fails (const TpEmit *emit, const TpGuard *guard);
/* What the guard bounds, of the first lane. */
TpValue tp_emit_guard_value (TpEmit *emit, const TpGuard *guard);
/* @sum + @coef * @axis without its delta; -1 is 0. */
TpValue tp_emit_add_axis (TpEmit *emit, TpValue sum, int axis, gint64 coef);

/* All guards of @access, as a mask of one lane, or of all where they differ; -1: they
 * hold. */
TpValue tp_emit_condition (TpEmit *emit, const TpAccess *access, int lanes);
/* Do lanes differ in whether a guard holds? */
gboolean tp_emit_lanes_differ (const TpEmit *emit, const TpAccess *access);

#endif
