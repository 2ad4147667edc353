/* expr.h: expressions of a nest at the current point of a kernel. */
#ifndef TP_SCHEDULE_EXPR_H
#define TP_SCHEDULE_EXPR_H

#include "schedule/emit.h"

/* Single expressions are F32 values, double ones F64, integer ones INDEX. */
TpValue tp_emit_expr (TpEmit *emit, int expr);
/* Emits now, at one lane, what @root is made of that is the same at all points
 * (stages and constants), for uses at @lanes lanes; until tp_emit_forget(), and
 * within this region. */
void tp_emit_know_uniform (TpEmit *emit, int root, int lanes);
void tp_emit_forget (TpEmit *emit);
/* @value as what elements of @dtype are; as what @like is, of as many lanes. */
TpValue tp_emit_number (TpEmit *emit, double value, TpDtype dtype, int lanes);
TpValue tp_emit_number_like (TpEmit *emit, double value, TpValue like);
/* What a combiner starts from, of the class of @expr and as many lanes as now. */
TpValue tp_emit_identity (TpEmit *emit, TpCombiner combiner, int expr);
double tp_combiner_identity (TpCombiner combiner); /* of reals */
TpValue tp_emit_combine (TpEmit *emit, TpCombiner combiner, TpValue a,
                         TpValue b);
/* acc combined with @expr; a product is fused into a sum. */
TpValue tp_emit_accumulate (TpEmit *emit, TpCombiner combiner, TpValue acc,
                            int expr);

#endif
