/* expr.h: expressions and accesses of a nest at the current point of a kernel.
 * They call each other: the index of a load may be an expression. */
#ifndef TP_SCHEDULE_EXPR_H
#define TP_SCHEDULE_EXPR_H

#include "schedule/emit.h"

/* ---- accesses (emit-access.c) ------------------------------------------ */

/* The value of a load, or (@is_inside) 1.0 where its guards hold, else 0.0. */
TpValue tp_emit_load (TpEmit *emit, int load, gboolean is_inside);
void tp_emit_store (TpEmit *emit, TpValue value);
/* Address of an access at the current point. */
TpValue tp_emit_index (TpEmit *emit, const TpAccess *access);
/* Mask of the first @active lanes; -1 when all are. */
TpValue tp_emit_mask (TpEmit *emit);
gboolean tp_emit_guard_holds (const TpEmit *emit, const TpGuard *guard);
gboolean tp_emit_guard_fails (const TpEmit *emit, const TpGuard *guard);
TpValue tp_emit_guard_value (TpEmit *emit, const TpGuard *guard);

/* ---- expressions (expr.c) ---------------------------------------------- */

/* Real expressions are F32 values, integer ones INDEX. */
TpValue tp_emit_expr (TpEmit *emit, int expr);
TpValue tp_emit_integer (TpEmit *emit, gint64 value, int lanes);
/* What a combiner starts from, of the class of @expr and as many lanes as now. */
TpValue tp_emit_identity (TpEmit *emit, TpCombiner combiner, int expr);
double tp_combiner_identity (TpCombiner combiner); /* of reals */
TpValue tp_emit_combine (TpEmit *emit, TpCombiner combiner, TpValue a,
                         TpValue b);
/* acc combined with @expr; a product is fused into a sum. */
TpValue tp_emit_accumulate (TpEmit *emit, TpCombiner combiner, TpValue acc,
                            int expr);

#endif
