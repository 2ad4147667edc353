/* expr.h: expressions of a nest at the current point of a kernel. */
#ifndef TP_SCHEDULE_EXPR_H
#define TP_SCHEDULE_EXPR_H

#include "schedule/emit.h"

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
